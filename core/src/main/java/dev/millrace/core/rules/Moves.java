package dev.millrace.core.rules;

import dev.millrace.core.state.TransitionTable;

/** Is told each transition of a fold as it happens: what an index needs, and what coverage counts. */
@FunctionalInterface
public interface Moves {
  Moves IGNORED = move -> {};

  /** One transition; {@code stage} and {@code task} are 0 where it is the job's or the stage's. */
  record Move(
      TransitionTable<?, ?> table, int stage, int task, Enum<?> from, Enum<?> event, Enum<?> to) {}

  void moved(Move move);
}

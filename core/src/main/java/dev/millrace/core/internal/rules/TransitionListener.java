package dev.millrace.core.internal.rules;

import dev.millrace.core.state.TransitionTable;

/** Is told each transition of a fold as it happens: what an index needs, and what coverage counts. */
@FunctionalInterface
public interface TransitionListener {
  TransitionListener IGNORED = move -> {};

  /** One transition; {@code stage} and {@code task} are 0 where it is the job's or the stage's. */
  record Transition(
      TransitionTable<?, ?> table, int stage, int task, Enum<?> from, Enum<?> event, Enum<?> to) {}

  void onTransition(Transition move);
}

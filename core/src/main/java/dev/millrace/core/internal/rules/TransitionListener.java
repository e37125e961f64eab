package dev.millrace.core.internal.rules;

import dev.millrace.core.state.TransitionTable;

/** Receives each transition of a fold as it happens. Indexes and test coverage use it. */
@FunctionalInterface
public interface TransitionListener {
  TransitionListener IGNORED = move -> {};

  /**
   * One transition. {@code stage} and {@code task} are 0 for a job, {@code task} is 0 for a stage.
   */
  record Transition(
      TransitionTable<?, ?> table, int stage, int task, Enum<?> from, Enum<?> event, Enum<?> to) {}

  void onTransition(Transition move);
}

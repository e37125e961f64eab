package dev.millrace.core.store;

/**
 * What a store reports of its workers, for meters and traces. Each call is on the thread that made
 * the change; claims, answers and sweeps are durable by then. It must return quickly and must not
 * throw.
 */
public interface WorkListener {
  /** How a worker ended its claim. */
  enum Answer {
    COMPLETED,
    FAILED,
    RELEASED
  }

  default void claimed(Claim claim) {}

  /**
   * A worker answered.
   *
   * @param outcome what the store made of it
   */
  default void answered(Claim claim, Answer answer, Outcome outcome) {}

  /** A heartbeat or a part of the output came, and its worker got that signal. */
  default void signalled(Claim claim, ClaimSignal signal) {}

  /** A task has more output, which readers can see; a heartbeat alone is none. */
  default void journaled(Claim claim) {}

  /** A sweep moved that many tasks. */
  default void swept(int tasks) {}
}

package dev.millrace.engine.internal.budget;

/**
 * The limits of one {@link CompileBudget}.
 *
 * @param steps small pieces of work, each about as long as one access to a map
 * @param states of the automaton that a grammar becomes
 * @param bytes of all that is built on the way, whether it is kept or not
 */
public record CompileLimits(long steps, int states, long bytes) {
  /** The highest count of a repetition is the same: each count is a state. */
  public static final int MAX_STATES = 100_000;

  /** Far more than a useful schema needs; at worst some tenths of a second. */
  public static final CompileLimits DEFAULT = new CompileLimits(20_000_000, MAX_STATES, 64L << 20);

  public CompileLimits {
    if (steps < 1 || states < 1 || bytes < 1) {
      throw new IllegalArgumentException("every limit of compiling is at least 1");
    }
  }
}

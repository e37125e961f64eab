package dev.millrace.engine.internal.constraint;

import org.jspecify.annotations.Nullable;

/**
 * Follows the tokens of one sequence and says which may come next. It depends on the accepted
 * tokens alone, so a sequence is resumed by accepting them again. For one thread at a time.
 */
public sealed interface ConstraintTracker permits AnswerConstraint, TriggeredConstraint {
  /**
   * The tokens that may follow: bit {@code t & 63} of word {@code t >>> 6} is token t; null if all
   * may. Do not change the array.
   */
  long @Nullable [] allowed();

  /** Advances by a token. Returns false and changes nothing if the token may not follow. */
  boolean accept(int token);

  /** Whether the constraint holds by now, and so to the end. */
  boolean holds();

  /** Whether the output must end here. */
  boolean mustEnd();
}

package dev.millrace.engine.internal.wheel;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks into what other nodes compute for some sequences, and says at their end whether it was
 * right. All calls are made on the wheels' thread; they must neither block nor throw.
 *
 * <p>All tokens of a chosen sequence come from one passage, in which all its positions are
 * computed. Where that is broken off, or it was resumed from tokens, it begins again from its
 * prompt; a token that differs then from one that was given before ends it with REVOKED. Where
 * there is an examiner, no sequences share pages, chosen or not: by that a node could tell them
 * apart.
 */
public interface AuditHook {
  /** Whether a sequence is to be examined; asked once, when it comes into the line. */
  boolean shouldAudit(long arrival);

  /**
   * The row of a chosen sequence has left for another node: as many floats from {@code offset} on
   * as a hidden state has, which are others' again when this returns.
   */
  void rowSent(int pipe, long passage, int position, float[] hidden, int offset);

  /** The row came back, for the head or at the end of a chunk. */
  void rowReturned(int pipe, long passage, int position, float[] hidden, int offset);

  /**
   * A chosen sequence has all its tokens. Its end is held, and so is what nodes noted of it, until
   * the verdict: null where all was right, else why its tokens cannot be trusted. A verdict has to
   * come, whatever becomes of the pipe; any thread may give it, once.
   *
   * @param epoch of the plan under which it was computed
   * @param positions that were computed, from 0 on
   */
  void sequenceEnded(
      int pipe, long epoch, long passage, int positions, Consumer<@Nullable String> verdict);

  /**
   * The passage was broken off: there is nothing to examine, and no verdict is awaited. Its
   * sequence may come again, in another.
   */
  void sequenceDropped(int pipe, long passage);
}

package dev.millrace.engine.internal.wheel;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Audits what other nodes compute for some sequences, and judges at their end whether it was right.
 * All calls are on the scheduler's thread; they must neither block nor throw.
 *
 * <p>All tokens of an audited sequence come from one passage, in which all its positions are
 * computed. If that passage is broken off, or the sequence was resumed from tokens, it restarts
 * from its prompt; a token that then differs from an emitted one ends it with REVOKED. With an
 * audit hook, no sequences share pages, audited or not: a node could tell them apart by it.
 */
public interface AuditHook {
  /** Whether to audit a sequence; called once, when it is queued. */
  boolean shouldAudit(long arrival);

  /**
   * A row of an audited sequence was sent to another node. Read it from {@code offset} now: the
   * buffer is reused when this returns.
   */
  void rowSent(int pipe, long passage, int position, float[] hidden, int offset);

  /** A row came back, for the head or at the end of a chunk. */
  void rowReturned(int pipe, long passage, int position, float[] hidden, int offset);

  /**
   * An audited sequence has all its tokens. Its end, and the nodes' records of it, are held until
   * the verdict: null if everything was right, else why its tokens cannot be trusted. A verdict
   * must come, whatever happens to the pipe; any thread may give it, once.
   *
   * @param epoch of the plan under which it was computed
   * @param positions the number of positions that were computed
   */
  void sequenceEnded(
      int pipe, long epoch, long passage, int positions, Consumer<@Nullable String> verdict);

  /**
   * The passage was broken off: there is nothing to audit, and no verdict is expected. Its sequence
   * may come again, in another passage.
   */
  void sequenceDropped(int pipe, long passage);
}

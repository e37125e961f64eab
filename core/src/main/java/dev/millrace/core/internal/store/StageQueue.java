package dev.millrace.core.internal.store;

import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import java.time.Instant;
import java.util.BitSet;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The waiting tasks of one stage. Tasks in their backoff are kept apart, else each claim would look
 * at each of them. All times are steady. Not thread-safe: guarded by its job's lock.
 */
final class StageQueue {
  private record Rest(Instant until, int task) {
    static final Comparator<Rest> ORDER =
        Comparator.comparing(Rest::until).thenComparingInt(Rest::task);
  }

  private final BitSet waiting = new BitSet();
  private final BitSet awake = new BitSet();
  private final TreeSet<Rest> resting = new TreeSet<>(Rest.ORDER);

  /** Updates a task after a transition. */
  public void set(int task, boolean waits) {
    waiting.set(task, waits);
    awake.set(task, waits); // whether it is in its backoff is checked later
  }

  /** The first waiting task from number {@code from} on; -1 if there is none. */
  public int nextWaiting(int from) {
    return waiting.nextSetBit(from);
  }

  /** The first waiting task from number {@code from} on that is not in its backoff; -1 if none. */
  public int nextClaimable(StageFold stage, int from, Instant now) {
    wake(now);
    int task = awake.nextSetBit(from);
    while (task >= 0) {
      TaskFold at = stage.task(task);
      if (!at.isInBackoff(now)) {
        return task;
      }
      awake.clear(task);
      resting.add(new Rest(at.notBefore().steady(), task));
      task = awake.nextSetBit(task + 1);
    }
    return -1;
  }

  private void wake(Instant now) {
    while (!resting.isEmpty() && !now.isBefore(resting.first().until())) {
      wake(resting.pollFirst());
    }
  }

  private void wake(Rest rest) {
    awake.set(
        rest.task(),
        waiting.get(rest.task())); // it may have ended, or been enqueued again, in the meantime
  }

  /**
   * When the next task wakes, if {@link #nextClaimable} found none; null if none is in its backoff.
   */
  public @Nullable Instant nextBackoffEnd() {
    return resting.isEmpty() ? null : resting.first().until();
  }
}

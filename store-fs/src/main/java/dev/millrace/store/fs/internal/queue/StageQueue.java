package dev.millrace.store.fs.internal.queue;

import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import java.time.Duration;
import java.time.Instant;
import java.util.BitSet;
import java.util.Comparator;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The tasks of one stage that wait. Those in their backoff stand apart, or each claim would look at
 * each of them. Not thread-safe: belongs to its job's holder.
 */
public final class StageQueue {
  private record Rest(Instant until, int task) {
    static final Comparator<Rest> ORDER =
        Comparator.comparing(Rest::until).thenComparingInt(Rest::task);
  }

  private final BitSet waiting = new BitSet();
  private final BitSet awake = new BitSet();
  private final TreeSet<Rest> resting = new TreeSet<>(Rest.ORDER);

  /** The task has moved. */
  public void set(int task, boolean waits) {
    waiting.set(task, waits);
    awake.set(task, waits); // whether it backs off is seen when somebody asks
  }

  /** The first that waits from number {@code from} on; -1 if there is none. */
  public int nextWaiting(int from) {
    return waiting.nextSetBit(from);
  }

  /** The first from number {@code from} on that waits and does not back off; -1 if none does. */
  public int nextClaimable(StageFold stage, int from, Instant now) {
    Duration longest = stage.plan().policy().backoff().longest();
    wake(now, now.plus(longest));
    int task = awake.nextSetBit(from);
    while (task >= 0) {
      TaskFold at = stage.task(task);
      if (!at.isInBackoff(now, longest)) {
        return task;
      }
      awake.clear(task);
      resting.add(new Rest(at.notBefore(), task));
      task = awake.nextSetBit(task + 1);
    }
    return -1;
  }

  /** One that rests longer than any can is of a clock that was set back, and wakes too. */
  private void wake(Instant now, Instant latest) {
    while (!resting.isEmpty() && !now.isBefore(resting.first().until())) {
      wake(resting.pollFirst());
    }
    while (!resting.isEmpty() && resting.last().until().isAfter(latest)) {
      wake(resting.pollLast());
    }
  }

  private void wake(Rest rest) {
    awake.set(rest.task(), waiting.get(rest.task())); // it may have ended, or come back, meanwhile
  }

  /** When the next one wakes, where {@link #nextClaimable} found none; null if none rests. */
  public @Nullable Instant nextBackoffEnd() {
    return resting.isEmpty() ? null : resting.first().until();
  }
}

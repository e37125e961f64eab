package dev.millrace.store.fs.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.store.fs.internal.queue.ClaimQueue.Candidate;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The stack ends somewhere in a call of the queue: what it was called for is not lost. */
class ClaimQueueErrorTest {
  private static final Set<String> TYPES = Set.of("a");
  private static final JobId ID = JobId.of(1_000_000, 1, 1);
  private static final long STACK = 256 * 1024;

  /** The calls that are cut short: enough for each place within a call of the queue. */
  private static final int CUTS = 200;

  /** The steps in which the end of the stack is looked for. */
  private static final int COARSE = 50;

  private final ManualClock clock = new ManualClock(ManualClock.START);
  private final Candidate plain = Candidate.of(ID, "a", Priority.values()[0], clock.instant(), 1);

  private ClaimQueue queue() {
    return new ClaimQueue(new ProcessTimeline(clock), Threading.SYSTEM);
  }

  private static void deep(int depth, Runnable call) {
    if (depth == 0) {
      call.run();
    } else {
      deep(depth - 1, call);
    }
  }

  /** A depth a little above the first at which the call has too little stack. */
  private int firstDepth(Consumer<ClaimQueue> before, Consumer<ClaimQueue> call) {
    for (int depth = COARSE; ; depth += COARSE) {
      ClaimQueue queue = queue();
      before.accept(queue);
      int tried = depth;
      try {
        deep(tried, () -> call.accept(queue));
      } catch (StackOverflowError e) {
        return Math.max(1, tried - 2 * COARSE);
      }
    }
  }

  /** Makes the call with ever less stack left, until it has none; then checks what is left. */
  private void cutAnywhere(
      Consumer<ClaimQueue> before, Consumer<ClaimQueue> call, Consumer<ClaimQueue> after)
      throws Exception {
    FutureTask<Integer> test =
        new FutureTask<>(
            () -> {
              int cuts = 0;
              for (int depth = firstDepth(before, call); cuts < CUTS; depth++) {
                ClaimQueue queue = queue();
                before.accept(queue);
                try {
                  deep(depth, () -> call.accept(queue));
                } catch (StackOverflowError e) {
                  cuts++;
                }
                after.accept(queue);
              }
              return cuts;
            });
    new Thread(null, test, "deep", STACK).start();
    test.get();
  }

  @Test
  void aJobThatIsPutAgainIsInTheQueue() throws Exception {
    cutAnywhere(
        _ -> {},
        queue -> queue.put(plain, true),
        queue -> {
          queue.put(plain, true);
          assertThat(queue.next(TYPES, null)).isEqualTo(plain);
        });
  }

  @Test
  void aJobThatIsKnownIsInTheQueue() throws Exception {
    cutAnywhere(
        _ -> {},
        queue -> queue.put(plain, true),
        queue -> assertThat(queue.next(TYPES, null) != null).isEqualTo(queue.isKnown(ID)));
  }

  @Test
  void aJobWhoseBackoffIsOverIsInTheQueue() throws Exception {
    Instant until = clock.instant().minusSeconds(1);
    cutAnywhere(
        queue -> queue.put(plain.withBackoff(until), true),
        queue -> queue.next(TYPES, null),
        queue -> assertThat(queue.next(TYPES, null)).isEqualTo(plain));
  }

  @Test
  void aRemovedJobIsNowhere() throws Exception {
    cutAnywhere(
        queue -> queue.put(plain, true),
        queue -> queue.remove(ID),
        queue -> {
          queue.remove(ID);
          assertThat(queue.next(TYPES, null)).isNull();
          assertThat(queue.isKnown(ID)).isFalse();
          assertThat(queue.isIdle(TYPES)).isTrue();
        });
  }
}

package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Closing a store waits for a thread inside a file operation, and lets no other one in. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CloseFenceTest {
  private final SimulatedStore rig = SimulatedStore.fresh();
  private final CapturedLog log = CapturedLog.open();
  private final CountDownLatch inside = new CountDownLatch(1);
  private final CountDownLatch goOn = new CountDownLatch(1);

  @AfterEach
  void closeLog() {
    log.close();
  }

  @Test
  void closeWaitsForAThreadInsideAFileOperation() throws Exception {
    JobId id = rig.submit(JobSpec.prompt("generate", "hello"));
    rig.disk.failBy(
        op -> {
          if (op.what() == SimDisk.What.RENAME) {
            inside.countDown();
            await(goOn);
          }
          return null;
        });
    CompletableFuture<List<Claim>> claims =
        CompletableFuture.supplyAsync(() -> rig.claim(1), Thread::startVirtualThread);
    inside.await();
    CompletableFuture<Void> closed =
        CompletableFuture.runAsync(rig.store::close, Thread::startVirtualThread);
    awaitRefusal();
    assertThat(closed).isNotDone();
    goOn.countDown();
    closed.get(60, TimeUnit.SECONDS);
    int operations = rig.disk.operations();
    assertThat(claims.get(60, TimeUnit.SECONDS)).extracting(Claim::job).containsExactly(id);
    assertThat(rig.disk.operations()).as("nothing is written after close").isEqualTo(operations);
    assertThat(rig.disk.kind(SimulatedStore.PLACES.of(JobState.IN_PROGRESS, id)))
        .isEqualTo(Disk.Kind.DIRECTORY);
    assertThat(log.lines()).isEmpty();
  }

  @Test
  void aReadAfterCloseWritesNothing() throws Exception {
    JobId id = rig.submit(JobSpec.prompt("generate", "hello"));
    JobId other = new JobId("1700000000000000_7_1");
    Claim claim = rig.claim(1).getFirst();
    rig.store.log(claim, "info", "durable later");
    rig.store.close();
    rig.disk.createDirectory(SimulatedStore.PLACES.of(JobState.PENDING, other));
    rig.disk.write(
        SimulatedStore.PLACES.of(JobState.PENDING, other).resolve("prompt.txt"), new byte[] {'x'});
    int operations = rig.disk.operations();
    assertThat(rig.store.find(id)).isPresent();
    assertThat(rig.store.state(other)).contains(JobState.PENDING);
    try {
      rig.store.queuePosition(other);
    } catch (StoreException.Closed e) {
      // it had to read the job into memory, which may repair its log
    }
    for (int number = operations + 1; number <= rig.disk.operations(); number++) {
      assertThat(rig.disk.operation(number).what().syncs()).isTrue();
    }
  }

  @Test
  void aSweepWritesNothingAfterAWatcherHasClosedTheStore() {
    for (int i = 0; i < 5; i++) {
      rig.submit(JobSpec.prompt("generate", "hello"));
    }
    Duration lease = Duration.ofMinutes(1);
    rig.store.claim(new ClaimRequest(SimulatedStore.TYPES, 5, "worker", lease));
    rig.clock.advance(lease.plusSeconds(1));
    List<Integer> operations = closeByWatcher();
    assertThatThrownBy(rig.store::sweep).isInstanceOf(StoreException.Closed.class);
    assertThat(operations).containsExactly(rig.disk.operations());
  }

  @Test
  void pruningDeletesAllBeforeAWatcherClosesTheStore() {
    for (int i = 0; i < 3; i++) {
      rig.store.abort(rig.submit(JobSpec.prompt("generate", "hello")), SimulatedStore.ANNA);
    }
    List<Integer> operations = closeByWatcher();
    assertThat(rig.store.prune(Instant.MAX, Set.of(JobState.ABORTED))).isEqualTo(3);
    assertThat(operations).hasSize(3).containsOnly(rig.disk.operations());
  }

  /** How many operations of the disk there were when the store had been closed. */
  private List<Integer> closeByWatcher() {
    List<Integer> operations = new ArrayList<>();
    rig.store.onChange(
        _ -> {
          rig.store.close();
          operations.add(rig.disk.operations());
        });
    return operations;
  }

  /** Returns when close() has begun; asks for nothing that needs the disk. */
  private void awaitRefusal() {
    while (true) {
      try {
        rig.store.prune(Instant.MIN, Set.of());
        Thread.onSpinWait();
      } catch (StoreException.Closed e) {
        return;
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}

package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.nio.file.FileSystemException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a failed write, or a job that could not be read for once, does to what comes later. */
@Timeout(60)
class FailedWritesTest {
  private static final Set<What> WRITES =
      Set.of(What.CREATE_DIRECTORY, What.CREATE_FILE, What.PUT_BYTES, What.RENAME);

  private final CapturedLog log = CapturedLog.open();

  @AfterEach
  void closeLog() {
    log.close();
  }

  private static void fill(SimDisk disk) {
    disk.failBy(
        op ->
            WRITES.contains(op.what())
                ? new FileSystemException(op.path().toString(), null, "No space left on device")
                : null,
        0);
  }

  /** The next read of a log throws that, once. */
  private static void failNextRead(SimDisk disk, Throwable thrown) {
    AtomicBoolean once = new AtomicBoolean(true);
    disk.failBy(
        op ->
            op.what() == What.READ
                    && op.path().endsWith("events.jsonl")
                    && once.compareAndSet(true, false)
                ? thrown
                : null);
  }

  private static FileSystemException problem(String reason) {
    return new FileSystemException("/ws", null, reason);
  }

  private static JobId threeTasks(SimulatedStore rig) {
    return rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two", "three")));
  }

  /** Gives locks at which one thread waits for a signal. */
  private static final class StoppingLocks implements Threading {
    final CountDownLatch arrived = new CountDownLatch(1);
    final CountDownLatch goOn = new CountDownLatch(1);
    volatile Thread late;

    @Override
    public ReentrantLock newLock() {
      return new ReentrantLock() {
        private static final long serialVersionUID = 1L;

        @Override
        public void lock() {
          if (Thread.currentThread() == late && arrived.getCount() > 0) {
            arrived.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
          super.lock();
        }
      };
    }

    @Override
    public long nanoTime() {
      return SYSTEM.nanoTime();
    }

    @Override
    public void sleep(Duration time) throws InterruptedException {
      SYSTEM.sleep(time);
    }

    @Override
    public void startInBackground(String name, Runnable work) {
      SYSTEM.startInBackground(name, work);
    }
  }

  @Test
  void aThreadThatWaitedForADroppedJobTakesNothingBack() throws InterruptedException {
    SimDisk disk = new SimDisk();
    ManualClock clock = new ManualClock();
    StoppingLocks locks = new StoppingLocks();
    JobIdGenerator ids = new JobIdGenerator(clock, 7);
    FsStore store =
        FsStore.openUnlocked(
            new FsSettings(SimulatedStore.ROOT, disk, clock, ids::next, () -> 1L << 63)
                .withThreading(locks));
    JobId id = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two", "three")));
    List<Claim> claims = store.claim(new ClaimRequest(Set.of("a"), 2, "worker", null));
    Thread late = Thread.ofPlatform().unstarted(() -> store.heartbeat(claims.get(1), false));
    locks.late = late;
    late.start();
    locks.arrived.await();
    fill(disk);
    assertThatThrownBy(() -> store.prioritize(id, Priority.HIGH, SimulatedStore.ANNA))
        .isInstanceOf(StoreException.class);
    disk.heal();
    assertThat(store.complete(claims.getFirst(), TaskResult.of("done"))).isEqualTo(Outcome.DONE);
    locks.goOn.countDown();
    late.join();
    store.pause(id, SimulatedStore.ANNA);
    store.release(claims.getLast(), "shutdown"); // now the job leaves the memory
    store.find(id);
    assertThat(store.tasks(id, 1, 1, 3).getFirst().state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void aReaderOfAClosedStoreTakesNothingBack() {
    SimulatedStore old = SimulatedStore.fresh();
    JobId id = threeTasks(old);
    old.lease(1, Duration.ofMinutes(1));
    fill(old.disk);
    assertThatThrownBy(() -> old.store.prioritize(id, Priority.HIGH, SimulatedStore.ANNA))
        .isInstanceOf(StoreException.class);
    old.disk.heal();
    old.store.close();
    SimulatedStore next = new SimulatedStore(old.disk, old.clock.instant(), 8);
    next.complete(next.claim(1).getFirst());
    old.store.find(id);
    SimulatedStore third = new SimulatedStore(old.disk, old.clock.instant(), 9);
    assertThat(third.store.tasks(id, 1, 1, 3))
        .filteredOn(task -> task.state() == TaskState.COMPLETED)
        .hasSize(1);
  }

  @Test
  void anErrorOnceWhileAJobIsReadLosesNoAnswer() {
    SimulatedStore rig = SimulatedStore.fresh();
    threeTasks(rig);
    Claim claim = rig.claim(1).getFirst();
    fill(rig.disk);
    assertThatThrownBy(() -> rig.complete(claim)).hasMessageContaining("No space left");
    failNextRead(rig.disk, new OutOfMemoryError("direct buffer"));
    assertThatThrownBy(() -> rig.complete(claim)).isInstanceOf(JobException.Unreadable.class);
    rig.complete(claim);
  }

  @Test
  void aTaskWhoseAnswerMetAnUnreadableJobRunsAgain() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId id = threeTasks(rig);
    Claim claim = rig.claim(1).getFirst();
    fill(rig.disk);
    assertThatThrownBy(() -> rig.complete(claim)).hasMessageContaining("No space left");
    failNextRead(rig.disk, problem("Input/output error"));
    assertThatThrownBy(() -> rig.complete(claim)).isInstanceOf(JobException.Unreadable.class);
    rig.later(Duration.ofMinutes(6));
    rig.sweep();
    assertThat(rig.store.tasks(id, 1, 1, 1).getFirst().state()).isEqualTo(TaskState.RETRIED);
    assertThat(rig.claim(10)).hasSize(3);
  }

  @Test
  void aJobThatRecoveryCouldNotOpenIsRecoveredLater() {
    SimulatedStore old = SimulatedStore.fresh();
    JobId id = threeTasks(old);
    old.claim(1);
    SimDisk disk = old.disk.afterKill();
    failNextRead(disk, problem("Too many open files"));
    SimulatedStore rig = new SimulatedStore(disk, old.clock.instant(), 8);
    rig.sweep();
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(id, id, id);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Structure needs cleaning", "Bad message", "Stale file handle"})
  void aJobThatTheDiskCannotReadStopsNoOther(String reason) {
    SimulatedStore rig = SimulatedStore.fresh();
    JobId bad = threeTasks(rig);
    JobId good = threeTasks(rig);
    rig.disk.failBy(
        op ->
            op.what() == What.READ && op.path().toString().contains(bad.value())
                ? problem(reason)
                : null);
    assertThat(rig.claim(10)).extracting(Claim::job).containsOnly(good);
    assertThat(rig.store.state(bad)).contains(JobState.PENDING);
  }
}

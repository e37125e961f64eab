package dev.millrace.store.fs.internal.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.Cut;
import dev.millrace.store.fs.internal.disk.SimDisk.Stopped;
import dev.millrace.store.fs.internal.disk.SimFiles.Loss;
import dev.millrace.store.fs.internal.fixture.JobFinisher;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.fixture.WorkspaceInvariants;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many threads share a store, its jobs and its syncs; then the power fails, at any operation of the
 * disk. What any thread was told must be true. The seed is that of {@code -Dmillrace.seed=…};
 * {@code -Dmillrace.proof=true} tries many times as much.
 */
@Tag("slow")
class ConcurrentCrashTest {
  private static final int ROUNDS = Boolean.getBoolean("millrace.proof") ? 2_000 : 60;
  private static final long SEED = Long.getLong("millrace.seed", System.nanoTime());
  private static final Logger LOG = Logger.getLogger("dev.millrace.store");

  @BeforeEach
  void captureTheLog() {
    LOG.setLevel(Level.OFF);
  }

  @AfterEach
  void releaseTheLog() {
    LOG.setLevel(null);
  }

  /** What the threads were told. */
  private static final class Told {
    final Map<JobId, JobSpec> submitted = new ConcurrentHashMap<>();
    final Map<String, String> completed = new ConcurrentHashMap<>();

    /** Whether the job is paused; a job is not in the map while a lever runs. */
    final Map<JobId, Boolean> paused = new ConcurrentHashMap<>();

    final ConcurrentLinkedQueue<Throwable> surprises = new ConcurrentLinkedQueue<>();
  }

  @Test
  void whatAnyThreadWasToldIsDurable() throws InterruptedException {
    System.out.println("ConcurrentCrashTest: " + ROUNDS + " rounds, seed " + SEED);
    for (int round = 0; round < ROUNDS; round++) {
      SplittableRandom random = new SplittableRandom(SEED + round);
      SimulatedStore rig = SimulatedStore.fresh(random.nextInt(4) == 0);
      Told told = new Told();
      rig.disk.stopAt(rig.disk.operations() + 50 + random.nextInt(1_500), Cut.BEFORE);
      runThreads(rig, told, random);
      String as = "seed " + (SEED + round);
      assertThat(told.surprises).as(as).isEmpty();
      for (Loss loss : List.of(Loss.NOTHING_SURVIVES, Loss.RANDOM_SURVIVES)) {
        SimDisk found = rig.disk.afterPowerLoss(loss, random);
        SimulatedStore next = new SimulatedStore(found, rig.clock.instant(), 8);
        check(next, told, as + ", " + loss);
      }
    }
  }

  private static void runThreads(SimulatedStore rig, Told told, SplittableRandom random)
      throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      threads.add(start(rig, told, random.split(), ConcurrentCrashTest::submit));
      threads.add(start(rig, told, random.split(), ConcurrentCrashTest::lever));
    }
    for (int i = 0; i < 3; i++) {
      threads.add(start(rig, told, random.split(), ConcurrentCrashTest::work));
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private interface Action {
    void run(SimulatedStore rig, Told told, RandomGenerator random);
  }

  private static Thread start(
      SimulatedStore rig, Told told, RandomGenerator random, Action action) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try {
                while (!rig.disk.stopped()) {
                  action.run(rig, told, random);
                }
              } catch (Throwable e) {
                // The end reaches this thread, or the thread that synced for it.
                boolean end = e instanceof Stopped || e instanceof StoreException;
                if (!end || !rig.disk.stopped()) {
                  told.surprises.add(e);
                }
              }
            });
  }

  private static void submit(SimulatedStore rig, Told told, RandomGenerator random) {
    JobSpec spec =
        random.nextInt(3) == 0
            ? TestJobSpecs.plain("x")
            : TestJobSpecs.job(
                TestJobSpecs.stage("a", "1", "2", "3", "4"),
                TestJobSpecs.each("b", "again {{result}}"));
    JobId id = rig.store.submit(spec);
    told.submitted.put(id, spec);
    told.paused.put(id, false);
  }

  private static void work(SimulatedStore rig, Told told, RandomGenerator random) {
    for (Claim claim :
        rig.store.claim(new ClaimRequest(SimulatedStore.TYPES, 1 + random.nextInt(3), "w", null))) {
      String result = SimulatedStore.resultOf(claim);
      if (rig.store.complete(claim, SimulatedStore.answerOf(claim)).isDone()) {
        told.completed.put(claim.toString(), result);
      }
    }
  }

  /** Pauses or resumes a job that no other thread uses. */
  private static void lever(SimulatedStore rig, Told told, RandomGenerator random) {
    List<JobId> all = List.copyOf(told.paused.keySet());
    JobId id = all.isEmpty() ? null : all.get(random.nextInt(all.size()));
    Boolean was = id == null ? null : told.paused.remove(id);
    if (was == null) {
      Thread.yield();
      return;
    }
    Outcome outcome =
        was ? rig.store.resume(id, SimulatedStore.ANNA) : rig.store.pause(id, SimulatedStore.ANNA);
    if (outcome.isDone()) {
      told.paused.put(id, !was);
    } // else it has ended
  }

  private static void check(SimulatedStore rig, Told told, String as) {
    WorkspaceInvariants.hold(rig.disk, SimulatedStore.PLACES, rig.store);
    told.submitted.forEach((id, spec) -> assertThat(rig.store.spec(id)).as(as).contains(spec));
    told.completed.forEach(
        (name, result) -> {
          String[] parts = name.split("/");
          TaskView task =
              rig.store
                  .tasks(
                      new JobId(parts[0]),
                      Integer.parseInt(parts[1]),
                      Integer.parseInt(parts[2]),
                      1)
                  .getFirst();
          assertThat(task.state()).as("%s, task %s", as, name).isEqualTo(TaskState.COMPLETED);
          assertThat(task.result().text()).as("%s, task %s", as, name).isEqualTo(result);
        });
    told.paused.forEach(
        (id, paused) ->
            assertThat(rig.store.state(id).orElseThrow() == JobState.PAUSED)
                .as("%s, job %s is paused", as, id)
                .isEqualTo(paused));
    Map<JobId, JobState> ends = JobFinisher.expected(rig.store);
    assertThat(ends.values()).as(as).allMatch(end -> end == JobState.COMPLETED);
    JobFinisher.drive(rig);
    JobFinisher.check(rig, ends);
  }
}

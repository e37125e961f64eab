package dev.millrace.store.fs.internal.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.SimDisk;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A few threads that meet at one job, in many orders. */
class InterleavingTest {
  private static final ClaimRequest ONE = new ClaimRequest(SimulatedStore.TYPES, 1, "w", null);

  static Stream<Lever> leversOfWaitingJobs() {
    return Stream.of(
        new Lever.Prioritize(Priority.HIGH),
        new Lever.Describe(0, 0, JsonObject.create().put("said", "this")),
        new Lever.AddTasks(1, List.of(TaskSpec.of("more"))),
        new Lever.AddStage(TestJobSpecs.stage("b", "later")),
        new Lever.Hold(2),
        new Lever.Approve(2));
  }

  @ParameterizedTest
  @MethodSource("leversOfWaitingJobs")
  void aLeverIsDurableAlthoughAClaimMovesTheJobMeanwhile(Lever lever) {
    ScheduledStore.inManyOrders(
        seed -> {
          ScheduledStore rig = new ScheduledStore(seed);
          JobId[] id = {null};
          JobSpec spec = specFor(lever);
          Outcome[] told = {null};
          rig.run(
              store -> id[0] = store.submit(spec),
              () -> {
                told[0] = rig.store().apply(id[0], lever, SimulatedStore.ANNA.withOp("the-op"));
                rig.scheduler.kill();
              },
              () -> rig.store().claim(ONE));
          if (told[0].isDone()) { // else the claim came first
            assertThat(rig.afterPowerLoss().store.events(id[0], 0, 99).toString())
                .as("what was acknowledged: %s", lever)
                .contains("the-op");
          }
        });
  }

  /** A waiting job to which the lever can be applied. */
  private static JobSpec specFor(Lever lever) {
    StageSpec first = TestJobSpecs.stage("a", "one");
    StageSpec second = TestJobSpecs.stage("b", "two");
    return switch (lever) {
      case Lever.Hold _ -> TestJobSpecs.job(first, second);
      case Lever.Approve _ -> TestJobSpecs.job(first, TestJobSpecs.gate(second));
      default -> TestJobSpecs.open(first);
    };
  }

  /** Both found the claim before either answered, as workers without a token do. */
  @Test
  void theResultIsThatOfTheAnswerThatCounts() {
    ScheduledStore.inManyOrders(
        seed -> {
          ScheduledStore rig = new ScheduledStore(seed);
          List<Claim> claims = new ArrayList<>();
          List<String> counted = new ArrayList<>();
          rig.run(
              store -> {
                store.submit(TestJobSpecs.plain("prompt"));
                claims.addAll(store.claim(ONE));
              },
              Stream.of("one", "two")
                  .<Runnable>map(
                      text ->
                          () -> {
                            Claim claim = claims.getFirst();
                            if (rig.store().complete(claim, TaskResult.of(text)).isDone()) {
                              counted.add(text);
                            }
                          })
                  .toArray(Runnable[]::new));
          assertThat(counted).hasSize(1);
          assertThat(rig.afterPowerLoss().store.task(claims.getFirst().job(), 1, 1))
              .hasValueSatisfying(
                  task -> assertThat(task.result().text()).isEqualTo(counted.getFirst()));
        });
  }

  @Test
  void aJobCanBeReadWhileItMoves() {
    ScheduledStore.inManyOrders(
        seed -> {
          ScheduledStore rig = new ScheduledStore(seed);
          JobId[] id = {null};
          JobSpec spec = TestJobSpecs.plain("prompt");
          rig.run(
              store -> id[0] = store.submit(spec),
              () -> rig.store().claim(ONE),
              () -> assertThat(rig.store().spec(id[0])).contains(spec));
        });
  }

  @Test
  void twoProcessesWriteTheSameNote() {
    ScheduledStore.inManyOrders(
        seed -> {
          ScheduledStore rig = new ScheduledStore(seed);
          OtherProcess other = new OtherProcess(rig.settings);
          JobId id = JobId.of(1_000_000, 1, 1);
          JobSpec spec = TestJobSpecs.hooked(TestJobSpecs.plain("prompt"));
          List<Boolean> fresh = new ArrayList<>();
          rig.run(
              _ -> {},
              () -> fresh.add(rig.store().submit(spec, id)),
              () -> fresh.add(other.submitter().submit(spec, id)));
          assertThat(fresh).containsExactlyInAnyOrder(true, false);
        });
  }

  /** The entries of a claim that cannot be written completely are taken back. */
  @Test
  void aReaderNeverSeesEntriesThatAreTakenBack() {
    ScheduledStore.inManyOrders(
        seed -> {
          ScheduledStore rig = new ScheduledStore(seed);
          JobId[] id = {null};
          List<List<LogEntry>> seen = new ArrayList<>();
          ClaimRequest two = new ClaimRequest(SimulatedStore.TYPES, 2, "w", null);
          rig.run(
              store -> {
                id[0] = store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
                rig.disk.failBy(InterleavingTest::fullForLogs, 800);
              },
              () -> {
                failing(rig, () -> rig.store().claim(two));
                rig.store().isIdle(SimulatedStore.TYPES);
                rig.store().prioritize(id[0], Priority.HIGH, SimulatedStore.ANNA);
              },
              () -> {
                for (int i = 0; i < 3; i++) {
                  seen.add(rig.store().events(id[0], 0, 99));
                }
              });
          List<LogEntry> after =
              new SimulatedStore(rig.disk.afterKill(), rig.settings.clock().instant(), 8)
                  .store.events(id[0], 0, 99);
          for (List<LogEntry> earlier : seen) {
            assertThat(after.size()).isGreaterThanOrEqualTo(earlier.size());
            assertThat(after.subList(0, earlier.size())).isEqualTo(earlier);
          }
        });
  }

  private static IOException fullForLogs(SimDisk.Op op) {
    return op.what() == What.PUT_BYTES && op.path().endsWith(EventLog.FILE)
        ? new IOException("No space left on device")
        : null;
  }

  private static void failing(ScheduledStore rig, Runnable call) {
    try {
      call.run();
    } catch (StoreException e) {
      // as expected
    } finally {
      rig.disk.heal();
    }
  }

  @Test
  void aJobWhoseSubmissionFailedLateIsFound() {
    SimulatedStore rig = SimulatedStore.fresh();
    JobStore store = rig.store;
    rig.disk.observeBy(
        new SimDisk.Observer() {
          @Override
          public void after(What what, Path path) {
            if (what == What.RENAME && path.startsWith("/ws/input/ready")) {
              store.isIdle(SimulatedStore.TYPES); // the scanner leaves it to its submitter
              throw new OutOfMemoryError("simulated");
            }
          }
        });
    assertThatThrownBy(() -> store.submit(TestJobSpecs.plain("prompt")))
        .isInstanceOf(OutOfMemoryError.class);
    rig.disk.observeBy(new SimDisk.Observer() {});
    store.isIdle(SimulatedStore.TYPES);
    store.sweep();
    assertThat(store.claim(ONE)).as("the job is visible, so it can be claimed").hasSize(1);
  }
}

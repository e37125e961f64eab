package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Someone moves the directory of a job that runs: the directory is right about the job. */
class MovedJobTest {
  private final SimulatedStore rig = SimulatedStore.fresh();
  private final JobId id = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")));
  private final Claim claim = rig.claim(1).getFirst();

  private void moveTo(JobState state) throws IOException {
    rig.disk.rename(
        SimulatedStore.PLACES.of(JobState.IN_PROGRESS, id), SimulatedStore.PLACES.of(state, id));
  }

  private List<LogEntry> log() {
    return rig.store.events(id, 0, 100);
  }

  @ParameterizedTest
  @EnumSource(names = {"COMPLETED", "FAILED"})
  void aJobThatWasMovedToItsEndTakesNoAnswer(JobState end) throws IOException {
    moveTo(end);
    List<LogEntry> before = log();
    assertThat(rig.store.complete(claim, TaskResult.of("late"))).isInstanceOf(Outcome.Fenced.class);
    assertThat(rig.store.heartbeat(claim, true)).isEqualTo(ClaimSignal.LOST);
    assertThat(rig.store.release(claim, "late")).isInstanceOf(Outcome.Fenced.class);
    assertThat(rig.store.freeze(claim, JsonObject.create())).isInstanceOf(Outcome.Fenced.class);
    assertThat(log()).isEqualTo(before);
    assertThat(rig.store.state(id)).contains(end);
  }

  @ParameterizedTest
  @EnumSource(names = {"COMPLETED", "FAILED"})
  void aJobThatWasMovedToItsEndTakesNoLever(JobState end) throws IOException {
    moveTo(end);
    for (SimulatedStore owner :
        List.of(rig, new SimulatedStore(rig.disk.afterKill(), rig.clock.instant(), 8))) {
      assertThat(owner.store.pause(id, SimulatedStore.ANNA))
          .isEqualTo(new Outcome.Refused(JobTransitions.TABLE.refusal(end, JobEvent.PAUSE)));
      assertThat(owner.store.abort(id, SimulatedStore.ANNA)).isInstanceOf(Outcome.Refused.class);
      assertThat(owner.store.approve(id, 1, SimulatedStore.ANNA))
          .isInstanceOf(Outcome.Refused.class);
      assertThat(owner.claim(9)).isEmpty();
      assertThat(owner.sweep()).isZero();
      assertThat(owner.store.state(id)).contains(end);
    }
    rig.delete(id);
  }

  @Test
  void aJobThatWasPausedByHandIsReadAgain() throws IOException {
    moveTo(JobState.PAUSED);
    assertThat(rig.store.heartbeat(claim, false)).as("from memory").isNotEqualTo(ClaimSignal.LOST);
    rig.complete(claim);
    assertThat(rig.store.tasks(id, 1, 1, 1).getFirst().result().text())
        .isEqualTo(SimulatedStore.resultOf(claim));
    rig.resume(id);
    rig.claim(1).forEach(rig::complete);
    assertThat(rig.store.state(id)).contains(JobState.COMPLETED);
  }

  @Test
  void aJobThatWasDeletedByHandIsMissing() throws IOException {
    rig.disk.rename(
        SimulatedStore.PLACES.of(JobState.IN_PROGRESS, id), SimulatedStore.ROOT.resolve("away"));
    assertThat(rig.store.complete(claim, TaskResult.of("late")))
        .isInstanceOf(Outcome.Missing.class);
    assertThat(rig.store.pause(id, SimulatedStore.ANNA)).isInstanceOf(Outcome.Missing.class);
  }
}

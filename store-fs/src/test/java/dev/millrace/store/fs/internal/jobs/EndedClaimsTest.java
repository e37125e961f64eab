package dev.millrace.store.fs.internal.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workers whose job ended while they had a claim. */
class EndedClaimsTest {
  private static final Failure STOPPED = Failure.of("stopped").withPartial("half of it", null);

  private final SimulatedStore rig = SimulatedStore.fresh();
  private final JobId id =
      rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two", "three")));
  private final List<Claim> claims = rig.claim(3);

  private void theLogMustNotBeReadAgain() {
    rig.disk.failBy(
        op ->
            op.what() == What.READ && op.path().endsWith(EventLog.FILE)
                ? new IOException("Too many open files, for the log is read again")
                : null);
  }

  private void theOthersAreCancelled(JobState end) throws IOException {
    theLogMustNotBeReadAgain();
    for (int round = 0; round < 3; round++) {
      for (Claim claim : claims.subList(1, 3)) {
        assertThat(rig.store.heartbeat(claim, true)).isEqualTo(ClaimSignal.CANCEL);
        assertThat(rig.store.appendJournal(claim, new OutputChunk(List.of(1), "t")))
            .isEqualTo(ClaimSignal.CANCEL);
      }
    }
    assertThat(rig.store.fail(claims.get(1), STOPPED))
        .isEqualTo(new Outcome.Cancelled("task 1/2: its job is " + end));
    assertThat(rig.store.complete(claims.get(2), TaskResult.of("all of it")))
        .isInstanceOf(Outcome.Cancelled.class);
    rig.disk.heal();
    Path results = SimulatedStore.PLACES.of(end, id).resolve("stages/1-a/results.jsonl");
    assertThat(StrictUtf8.of(results, rig.disk.read(results, 10_000)).lines())
        .containsExactly(
            "{\"task\":2,\"attempt\":1,\"partial\":\"half of it\"}",
            "{\"task\":3,\"attempt\":1,\"partial\":\"all of it\"}");
    assertThat(rig.store.partialOutput(id, 1, 1)).isEmpty();
    assertThat(rig.store.partialOutput(id, 1, 2)).contains("half of it");
    assertThat(rig.store.partialOutput(id, 1, 3)).contains("all of it");
  }

  @Test
  void workersOfACancelledJobAreAnsweredWithoutReadingItAgain() throws IOException {
    rig.abort(id);
    theOthersAreCancelled(JobState.ABORTED);
  }

  @Test
  void workersOfAFailedJobAreAnsweredWithoutReadingItAgain() throws IOException {
    rig.fail(claims.getFirst(), Failure.permanent("broken"));
    theOthersAreCancelled(JobState.FAILED);
  }

  @Test
  void workersOfAPrunedJobGetLost() {
    rig.abort(id);
    assertThat(rig.store.heartbeat(claims.getFirst(), false)).isEqualTo(ClaimSignal.CANCEL);
    assertThat(rig.prune(JobState.ABORTED)).isEqualTo(1);
    assertThat(rig.store.heartbeat(claims.getFirst(), false)).isEqualTo(ClaimSignal.LOST);
    assertThat(rig.store.fail(claims.getFirst(), STOPPED)).isInstanceOf(Outcome.Missing.class);
  }

  @Test
  void anEndedJobIsDroppedAfterTheLastLeaseOfItsClaims() {
    JobId left = rig.submit(TestJobSpecs.job(TestJobSpecs.stage("b", "one", "two")));
    List<Claim> leased = rig.lease(2, TestJobSpecs.MINUTE);
    rig.abort(left);
    rig.later(TestJobSpecs.MINUTE.minusSeconds(1));
    theLogMustNotBeReadAgain();
    assertThat(rig.store.heartbeat(leased.getLast(), false)).isEqualTo(ClaimSignal.CANCEL);
    rig.later(Duration.ofSeconds(1));
    assertThat(rig.sweep()).isZero();
    for (Claim claim : leased) { // one lease lasts, and so the job stays in memory
      assertThat(rig.store.heartbeat(claim, false)).isEqualTo(ClaimSignal.CANCEL);
    }
    rig.later(TestJobSpecs.MINUTE);
    assertThat(rig.sweep()).isZero();
    assertThatThrownBy(() -> rig.store.heartbeat(leased.getFirst(), false))
        .hasMessageContaining("the log is read again");
    rig.disk.heal();
    assertThat(rig.store.heartbeat(leased.getFirst(), false)).isEqualTo(ClaimSignal.CANCEL);
  }
}

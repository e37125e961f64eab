package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.SimDisk.What;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Workers whose job has ended under their hands. */
class OrphansTest {
  private static final Failure STOPPED = Failure.of("stopped").withPartial("half of it", null);

  private final Rig rig = Rig.fresh();
  private final JobId id = rig.submit(Specs.job(Specs.stage("a", "one", "two", "three")));
  private final List<Claim> claims = rig.claim(3);

  private void theLogMustNotBeReadAgain() {
    rig.disk.failBy(
        op ->
            op.what() == What.READ && op.path().endsWith(EventLog.FILE)
                ? new IOException("the log is read again")
                : null);
  }

  private void theOthersAreCancelled(JobState end) throws IOException {
    theLogMustNotBeReadAgain();
    for (int round = 0; round < 3; round++) {
      for (Claim claim : claims.subList(1, 3)) {
        assertThat(rig.store.heartbeat(claim, true)).isEqualTo(Pulse.CANCEL);
        assertThat(rig.store.journal(claim, new Piece(List.of(1), "t"))).isEqualTo(Pulse.CANCEL);
      }
    }
    assertThat(rig.store.fail(claims.get(1), STOPPED))
        .isEqualTo(new Answer.Cancelled("task 1/2: its job is " + end));
    assertThat(rig.store.complete(claims.get(2), TaskResult.of("all of it")))
        .isInstanceOf(Answer.Cancelled.class);
    rig.disk.heal();
    Path results = Rig.PLACES.of(end, id).resolve("stages/1-a/results.jsonl");
    assertThat(Text.of(results, rig.disk.read(results, 10_000)).lines())
        .containsExactly(
            "{\"task\":2,\"attempt\":1,\"partial\":\"half of it\"}",
            "{\"task\":3,\"attempt\":1,\"partial\":\"all of it\"}");
  }

  @Test
  void workersOfACancelledJobAreToldWithoutReadingItAgain() throws IOException {
    rig.abort(id);
    theOthersAreCancelled(JobState.ABORTED);
  }

  @Test
  void workersOfAFailedJobAreToldWithoutReadingItAgain() throws IOException {
    rig.fail(claims.getFirst(), Failure.permanent("broken"));
    theOthersAreCancelled(JobState.FAILED);
  }

  @Test
  void workersOfAPrunedJobHaveLostIt() {
    rig.abort(id);
    assertThat(rig.store.heartbeat(claims.getFirst(), false)).isEqualTo(Pulse.CANCEL);
    assertThat(rig.prune(JobState.ABORTED)).isEqualTo(1);
    assertThat(rig.store.heartbeat(claims.getFirst(), false)).isEqualTo(Pulse.LOST);
    assertThat(rig.store.fail(claims.getFirst(), STOPPED)).isInstanceOf(Answer.Missing.class);
  }

  @Test
  void aWorkerThatIsGoneForLongerThanItsLeaseIsNotWaitedFor() {
    JobId left = rig.submit(Specs.job(Specs.stage("b", "one", "two")));
    List<Claim> leased = rig.lease(2, Specs.MINUTE);
    rig.abort(left);
    rig.later(Specs.MINUTE.minusSeconds(1));
    theLogMustNotBeReadAgain();
    assertThat(rig.store.heartbeat(leased.getLast(), false)).isEqualTo(Pulse.CANCEL);
    rig.later(Duration.ofSeconds(1));
    assertThat(rig.sweep()).isZero();
    assertThat(rig.store.heartbeat(leased.getLast(), false)).isEqualTo(Pulse.CANCEL);
    assertThatThrownBy(() -> rig.store.heartbeat(leased.getFirst(), false))
        .hasMessageContaining("the log is read again");
    rig.disk.heal();
    assertThat(rig.store.heartbeat(leased.getFirst(), false)).isEqualTo(Pulse.CANCEL);
  }
}

package dev.millrace.store.fs.internal.owner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.SimDisk.What;
import dev.millrace.store.fs.internal.files.StagedJobDocument;
import dev.millrace.store.fs.internal.files.StrictUtf8;
import dev.millrace.store.fs.internal.fixture.CapturedLog;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A problem with one job does not affect claims and sweeps of others. */
class ClaimIsolationTest {
  private final SimulatedStore rig = SimulatedStore.fresh();
  private final CapturedLog log = CapturedLog.open();

  @AfterEach
  void close() {
    log.close();
  }

  private JobId submit(String input) {
    rig.later(TestJobSpecs.MINUTE); // claim order is the order of submission
    return rig.submit(TestJobSpecs.job(TestJobSpecs.stage("a", input, input + " again")));
  }

  private JobId expiring(String input) {
    JobSpec spec = TestJobSpecs.job(TestJobSpecs.stage("a", input));
    return rig.submit(TestJobSpecs.with(TestJobSpecs.queueTimeout(TestJobSpecs.MINUTE), spec));
  }

  /** Makes every read of this job fail unexpectedly. */
  private void odd(JobId id) {
    rig.disk.failBy(
        op -> {
          if (op.what() == What.READ && op.path().toString().contains(id.value())) {
            throw new IllegalStateException("odd");
          }
          return null;
        });
  }

  private TaskState firstTask(JobId id) {
    return rig.store.task(id, 1, 1).orElseThrow().state();
  }

  @Test
  void aJobWithAnAbsurdLimitFailsAndTheOthersAreClaimed() throws IOException {
    JobId before = submit("before");
    JobId bad = submit("bad");
    JobId after = submit("after");
    Path file = SimulatedStore.PLACES.of(JobState.PENDING, bad).resolve(StagedJobDocument.FILE);
    String text = StrictUtf8.of(file, rig.disk.read(file, 100_000));
    String attempts = "[{\"stage\":1,\"from\":1,\"to\":1,\"maxAttempts\":99999999999}]";
    rig.disk.write(
        file, StrictUtf8.bytes(text.replaceFirst("\\{", "{\"attempts\":" + attempts + ",")));
    assertThat(rig.lease(10, TestJobSpecs.MINUTE))
        .extracting(Claim::job)
        .containsExactly(before, before, after, after);
    assertThat(rig.store.state(bad)).contains(JobState.FAILED);
    assertThat(rig.store.task(bad, 1, 1).orElseThrow().error()).contains("maxAttempts");
  }

  @Test
  void aJobThatThrowsIsSkippedAndTheOthersGetTheirLeases() {
    JobId before = submit("before");
    JobId bad = submit("bad");
    JobId after = submit("after");
    odd(bad);
    assertThat(rig.lease(10, TestJobSpecs.MINUTE))
        .extracting(Claim::job)
        .containsExactly(before, before, after, after);
    assertThat(rig.lease(10, TestJobSpecs.MINUTE)).isEmpty();
    assertThat(log.lines()).containsExactly("job " + bad + " is skipped");
    rig.later(TestJobSpecs.MINUTE);
    assertThat(rig.sweep()).as("leases that nobody renewed").isEqualTo(4);
    rig.disk.heal();
    assertThat(firstTask(before)).isEqualTo(TaskState.RETRIED);
    assertThat(firstTask(bad)).isEqualTo(TaskState.PENDING);
  }

  @Test
  void aSweepContinuesAfterAJobThatThrowsAndRetriesIt() {
    JobId first = expiring("first");
    JobId second = expiring("second");
    JobId third = expiring("third");
    rig.later(TestJobSpecs.MINUTE);
    odd(second);
    assertThat(rig.sweep()).isEqualTo(2);
    assertThat(rig.sweep()).isZero();
    assertThat(log.lines()).containsExactly("job " + second + " is skipped");
    rig.disk.heal();
    assertThat(rig.store.state(first)).contains(JobState.FAILED);
    assertThat(rig.store.state(third)).contains(JobState.FAILED);
    assertThat(rig.store.state(second)).contains(JobState.PENDING);
    assertThat(rig.sweep()).isEqualTo(1);
    assertThat(rig.store.state(second)).contains(JobState.FAILED);
  }

  @Test
  void anEndBeforeAFailedClaimIsStillNotified() {
    JobId late = expiring("late");
    rig.later(TestJobSpecs.MINUTE);
    JobId stuck = submit("stuck");
    List<JobId> told = new ArrayList<>();
    rig.store.onChange(told::add);
    rig.disk.failBy(
        op ->
            op.what().changes() && op.path().toString().contains(stuck.value())
                ? new IOException("No space left on device")
                : null);
    assertThatThrownBy(() -> rig.claim(10))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("No space left");
    assertThat(told).containsExactly(late);
    assertThat(rig.store.state(late)).contains(JobState.FAILED);
    rig.disk.heal();
    rig.sweep();
    assertThat(rig.claim(10)).extracting(Claim::job).containsExactly(stuck, stuck);
  }
}

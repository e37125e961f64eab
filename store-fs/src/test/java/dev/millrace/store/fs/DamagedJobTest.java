package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.stats.QueueStats.TypeStats;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.files.EventLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged files of one job are reported for that job and do not stop others. */
class DamagedJobTest {
  private static final ClaimRequest ANY = new ClaimRequest(Set.of("generate"), 1, "test", null);

  @TempDir Path dir;

  @Test
  void aJobThatCannotBeClaimedIsSkipped() throws IOException {
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      JobId bad = store.submit(JobSpec.prompt("generate", "bad"));
      JobId good = store.submit(JobSpec.prompt("generate", "good"));
      Files.createDirectory(dir.resolve("input/ready/" + bad + "/" + EventLog.FILE));
      assertThat(store.claim(ANY)).extracting(Claim::job).containsExactly(good);
      assertThat(store.claim(ANY)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aJobThatCannotBeReadIsAJobException(boolean owner) throws IOException {
    JobId bad;
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      bad = store.submit(JobSpec.prompt("generate", "bad"));
      JobId waiting = store.submit(JobSpec.prompt("generate", "bad as well"));
      store.submit(JobSpec.prompt("generate", "good"));
      store.abort(bad, Cause.user("me", null));
      Path log = dir.resolve("cancelled/" + bad + "/" + EventLog.FILE);
      Files.delete(log);
      Files.createDirectory(log);
      JobReader reader = owner ? store : Workspace.open(dir).reader();
      assertThatThrownBy(() -> reader.find(bad)).isInstanceOf(JobException.class);
      assertThatThrownBy(() -> reader.events(bad, 0, 10)).isInstanceOf(JobException.class);
      assertThatThrownBy(() -> reader.tasks(bad, 1, 1, 10)).isInstanceOf(JobException.class);
      assertThat(reader.queueStats().jobs()).containsEntry(JobState.ABORTED, 1);
      Files.createDirectory(dir.resolve("input/ready/" + waiting + "/" + EventLog.FILE));
      assertThat(reader.queueStats().types()).singleElement().returns("generate", TypeStats::type);
    }
  }

  /** A copy of the job, as if an old backup had been restored beside it. */
  private Path copyTo(String state, JobId id) throws IOException {
    Path copy = Files.createDirectory(dir.resolve(state + "/" + id));
    Files.writeString(copy.resolve("result.txt"), "of another hand");
    return copy;
  }

  @Test
  void aJobInTwoPlacesDoesNotRunUntilOneIsMovedAway() throws IOException {
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      JobId bad = store.submit(JobSpec.prompt("generate", "bad"));
      Path copy = copyTo("output", bad);
      assertThat(store.claim(ANY)).isEmpty();
      assertThat(store.isIdle(Set.of("generate"))).isTrue();
      assertThatThrownBy(() -> store.find(bad))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("it is in input/ready and in output")
          .hasMessageContaining("move one of the two directories out of the workspace");
      assertThatThrownBy(() -> store.abort(bad, Cause.user("me", null)))
          .isInstanceOf(JobException.class);
      store.sweep();
      assertThat(store.claim(ANY)).isEmpty();
      Files.move(copy, dir.resolve("copy"));
      store.sweep();
      assertThat(store.claim(ANY)).extracting(Claim::job).containsExactly(bad);
    }
  }

  @Test
  void aCopyThatComesWhileAJobRunsLeavesBothAsTheyAre() throws IOException {
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      JobId bad = store.submit(JobSpec.prompt("generate", "bad"));
      Claim claim = store.claim(ANY).getFirst();
      Path copy = copyTo("output", bad);
      assertThatThrownBy(() -> store.complete(claim, TaskResult.of("r")))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("Directory not empty");
      store.sweep();
      assertThat(store.isIdle(Set.of("generate"))).isTrue();
      assertThat(copy.resolve("result.txt")).hasContent("of another hand");
      assertThat(store.list(JobReader.Query.in(Set.of(JobState.IN_PROGRESS)))).containsExactly(bad);
      Files.move(copy, dir.resolve("copy"));
      store.sweep();
      assertThat(store.state(bad)).contains(JobState.COMPLETED);
      assertThat(store.task(bad, 1, 1).orElseThrow().result().text()).isEqualTo("r");
    }
  }

  /** Whatever is thrown while a job is read: the server starts, and other jobs run. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"n\":1,\"at\":\"2026-01-01T00:00:00Z\",\"stage\":9,\"task\":-3,\"event\":\"complete\"}\n",
        "{\"n\":1}\n{\"n\":2}\n",
        "deep",
        "null\n[]\n7\n",
      })
  void aHostileLogKeepsOnlyItsJobFromRunning(String log) throws IOException {
    JobId bad;
    JobId good;
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      bad = store.submit(JobSpec.prompt("generate", "bad"));
      good = store.submit(JobSpec.prompt("generate", "good"));
    }
    String text = log.equals("deep") ? "{\"n\":1,\"x\":" + "[".repeat(500_000) + "\n1\n" : log;
    Path file = dir.resolve("input/ready/" + bad + "/" + EventLog.FILE);
    Files.writeString(file, text);
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      assertThat(store.claim(new ClaimRequest(Set.of("generate"), 9, "test", null)))
          .extracting(Claim::job)
          .contains(good);
      assertThat(store.state(bad)).isPresent();
    }
  }
}

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
import dev.millrace.core.store.QueueStats.TypeStats;
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

  @Test
  void aJobWhoseFinalDirectoryExistsIsSkippedAndNotWaitedFor() throws IOException {
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      JobId bad = store.submit(JobSpec.prompt("generate", "bad"));
      Files.createDirectory(dir.resolve("output/" + bad));
      Files.writeString(dir.resolve("output/" + bad + "/result.txt"), "of another hand");
      Claim claim = store.claim(ANY).getFirst();
      assertThatThrownBy(() -> store.complete(claim, TaskResult.of("r")))
          .isInstanceOf(JobException.class)
          .hasMessageContaining("Directory not empty");
      assertThat(store.isIdle(Set.of("generate"))).isTrue();
      assertThat(dir.resolve("output/" + bad + "/result.txt")).hasContent("of another hand");
    }
  }
}

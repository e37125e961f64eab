package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.store.Census.Line;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobTrouble;
import dev.millrace.core.store.Reading;
import dev.millrace.core.task.TaskResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong with the files of one job is said of that job alone, and holds up no other. */
class OneBadJobTest {
  private static final Demand ANY = new Demand(Set.of("generate"), 1, "test", null);

  @TempDir Path dir;

  @Test
  void oneThatCannotBeClaimedIsPassedOver() throws IOException {
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
  void oneThatCannotBeReadIsTheFaultOfThatJob(boolean owner) throws IOException {
    JobId bad;
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      bad = store.submit(JobSpec.prompt("generate", "bad"));
      JobId waiting = store.submit(JobSpec.prompt("generate", "bad as well"));
      store.submit(JobSpec.prompt("generate", "good"));
      store.abort(bad, Cause.user("me", null));
      Path log = dir.resolve("cancelled/" + bad + "/" + EventLog.FILE);
      Files.delete(log);
      Files.createDirectory(log);
      Reading reader = owner ? store : Workspace.open(dir).reading();
      assertThatThrownBy(() -> reader.find(bad)).isInstanceOf(JobTrouble.class);
      assertThatThrownBy(() -> reader.events(bad, 0, 10)).isInstanceOf(JobTrouble.class);
      assertThatThrownBy(() -> reader.tasks(bad, 1, 1, 10)).isInstanceOf(JobTrouble.class);
      assertThat(reader.census().jobs()).containsEntry(JobState.ABORTED, 1);
      Files.createDirectory(dir.resolve("input/ready/" + waiting + "/" + EventLog.FILE));
      assertThat(reader.census().lines()).singleElement().returns("generate", Line::type);
    }
  }

  @Test
  void oneWhoseLastPlaceIsTakenIsLeftAloneAndNotWaitedFor() throws IOException {
    try (JobStore store = Workspace.open(dir).own().orElseThrow()) {
      JobId bad = store.submit(JobSpec.prompt("generate", "bad"));
      Files.createDirectory(dir.resolve("output/" + bad));
      Files.writeString(dir.resolve("output/" + bad + "/result.txt"), "of another hand");
      Claim claim = store.claim(ANY).getFirst();
      assertThatThrownBy(() -> store.complete(claim, TaskResult.of("r")))
          .isInstanceOf(JobTrouble.class)
          .hasMessageContaining("Directory not empty");
      assertThat(store.idle(Set.of("generate"))).isTrue();
      assertThat(dir.resolve("output/" + bad + "/result.txt")).hasContent("of another hand");
    }
  }
}

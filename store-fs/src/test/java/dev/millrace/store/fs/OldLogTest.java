package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Logs of an earlier version are read, and continued, by the rules of their version. */
class OldLogTest extends RealWorkspaceCase {

  /** A job of two stages whose first is running, in a workspace without an owner. */
  private JobId running() {
    JobStore store = own();
    JobId id =
        store.submit(
            TestJobSpecs.job(TestJobSpecs.stage("a", "one", "two"), TestJobSpecs.stage("b", "x")));
    complete(store, claim(store, 1).getFirst());
    close(store);
    return id;
  }

  private void makeOld(JobId id, JobState state) throws IOException {
    Path events = place(state, id).resolve("events.jsonl");
    String text = Files.readString(events);
    assertThat(text).contains("\"event\":\"submit\",\"v\":2}");
    Files.writeString(events, text.replace("\"v\":2}", "\"v\":1}"));
  }

  private static void fail(JobStore store) {
    store.fail(claim(store, 1).getFirst(), Failure.permanent("broken"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anOldLogIsContinuedByItsRule(boolean old) throws IOException {
    JobId id = running();
    if (old) {
      makeOld(id, JobState.IN_PROGRESS);
    }
    JobStore store = own();
    fail(store);
    assertLaterStage(store, id, old);
    close(store);
    assertThat(place(JobState.FAILED, id).resolve("events.jsonl"))
        .content()
        .contains(old ? "\"v\":1}" : "\"v\":2}");
    assertLaterStage(own(), id, old);
  }

  @Test
  void theLogOfAJobThatFailedBeforeIsReadByItsRule() throws IOException {
    JobId id = running();
    JobStore store = own();
    fail(store);
    assertLaterStage(store, id, false);
    close(store);
    makeOld(id, JobState.FAILED);
    assertLaterStage(own(), id, true);
  }

  private static void assertLaterStage(JobStore store, JobId id, boolean aborted) {
    JobView view = store.find(id).orElseThrow();
    assertThat(view.state()).isEqualTo(JobState.FAILED);
    assertThat(view.stages())
        .extracting(JobView.StageView::state)
        .isEqualTo(List.of(StageState.FAILED, aborted ? StageState.ABORTED : StageState.CREATED));
    assertThat(store.tasks(id, 2, 1, 9))
        .extracting(TaskView::state)
        .containsExactly(aborted ? TaskState.ABORTED : TaskState.PENDING);
  }
}

package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The files of a retry, and retries by a process that does not own the workspace. */
class RetryFilesTest extends RealWorkspaceCase {

  /** A job that failed in its second stage; each result has {@code size} characters and its number. */
  private JobId failed(JobStore store, int size) {
    JobId id =
        store.submit(
            TestJobSpecs.job(
                TestJobSpecs.stage("a", "1", "2", "3"), TestJobSpecs.each("b", "{{index}}")));
    for (Claim claim : claim(store, 3)) {
      TaskResult result = TaskResult.of("x".repeat(size) + claim.inputText());
      JsonObject receipt = JsonObject.create().put("of", claim.inputText());
      assertThat(store.complete(claim, result.withReceipt(receipt))).isEqualTo(Outcome.DONE);
    }
    store.fail(claim(store, 1).getFirst(), Failure.permanent("broken"));
    assertThat(store.state(id)).contains(JobState.FAILED);
    return id;
  }

  private JobId retry(JobId ended, int adopted) {
    RetryResult result = workspace.submitter().retry(RetryRequest.of(ended));
    assertThat(result.outcome()).isEqualTo(Outcome.DONE);
    assertThat(result.adopted()).isEqualTo(adopted);
    return result.id();
  }

  @Test
  void aRetryNeedsNoOwnerAndIsWholeWhenItIsVisible() throws IOException {
    JobStore store = own();
    JobId id = failed(store, 0);
    close(store);
    JobId again = retry(id, 3);
    Path job = place(JobState.PENDING, again);
    assertThat(job.resolve("events.jsonl"))
        .content()
        .contains("\"event\":\"submit\",\"v\":2}")
        .contains("\"event\":\"adopt\",\"job\":\"" + id + "\",\"from\":2,");
    assertThat(lines(job.resolve("stages/1-a/results.jsonl"))).hasSize(3);
    assertThat(workspace.reader().tasks(again, 1, 1, 9))
        .extracting(TaskView::state)
        .containsOnly(TaskState.COMPLETED);
    assertThat(workspace.controls().delete(id)).isEqualTo(Outcome.DONE);
    JobStore next = own();
    assertThat(claim(next, 9)).extracting(Claim::inputText).containsExactly("1", "2", "3");
    assertThat(next.tasks(again, 1, 2, 1).getFirst().result().text()).isEqualTo("2");
  }

  @Test
  void theOwnerFindsARetryOfAnotherProcess() {
    JobStore store = own();
    JobId id = failed(store, 0);
    JobId again = retry(id, 3);
    await("the new job", () -> !store.isIdle(Set.of("b")));
    completeAll(store);
    assertThat(store.state(again)).contains(JobState.COMPLETED);
  }

  @Test
  void resultsAreCopiedByChunks() {
    JobStore store = own();
    JobId again = retry(failed(store, 700_000), 3);
    List<TaskView> tasks = store.tasks(again, 1, 1, 9);
    assertThat(tasks).hasSize(3);
    for (TaskView task : tasks) {
      assertThat(task.result().text()).hasSize(700_001).endsWith("x" + task.task());
      assertThat(task.result().receipt().get("of")).isEqualTo("" + task.task());
    }
  }

  @Test
  void aTaskWhoseResultIsDamagedRunsAgain() throws IOException {
    JobStore store = own();
    JobId id = failed(store, 0);
    close(store);
    Path results = place(JobState.FAILED, id).resolve("stages/1-a/results.jsonl");
    List<String> lines = lines(results);
    Files.writeString(
        results, lines.get(0) + "\n" + "?".repeat(lines.get(1).length()) + "\n" + lines.get(2));
    JobId again = retry(id, 2);
    JobStore next = own();
    assertThat(claim(next, 9)).extracting(Claim::inputText).containsExactly("2");
    assertThat(next.tasks(again, 1, 3, 1).getFirst().state()).isEqualTo(TaskState.COMPLETED);
  }

  @Test
  void aJobWithoutAReadableDocumentIsNotRetried() throws IOException {
    JobStore store = own();
    JobId id = failed(store, 0);
    close(store);
    Files.writeString(place(JobState.FAILED, id).resolve("job.json"), "{broken");
    assertThatThrownBy(() -> retry(id, 0)).hasMessageContaining("job " + id);
    assertThat(layout.of(JobState.CREATED)).isEmptyDirectory();
    assertThat(layout.of(JobState.PENDING)).isEmptyDirectory();
  }
}

package dev.millrace.store.fs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.fixture.RealWorkspaceCase;
import dev.millrace.store.fs.internal.fixture.SimulatedStore;
import dev.millrace.store.fs.internal.fixture.TestJobSpecs;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is acknowledged can be read back; what is too large is refused before it is visible. */
class SizeLimitsTest extends RealWorkspaceCase {

  private static JobSpec job(JsonObject data, StageSpec... stages) {
    return JobSpec.builder().name("big").stages(List.of(stages)).data(data).build();
  }

  private static StageSpec stage(JsonObject data, TaskSpec... tasks) {
    return StageSpec.builder("generate").tasks(List.of(tasks)).data(data).build();
  }

  private static JsonObject text(int length) {
    return JsonObject.create().put("x", "y".repeat(length));
  }

  private void assertRefused(JobSpec spec, String message) throws IOException {
    JobStore store = own();
    assertThatThrownBy(() -> store.submit(spec))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
    assertThatThrownBy(() -> store.submit(spec, new JobId("1_2_3")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.list(JobReader.Query.all())).isEmpty();
    assertThat(layout.of(JobState.CREATED)).isEmptyDirectory();
  }

  @Test
  void aDocumentThatIsTooLargeToBeReadIsRefused() throws IOException {
    TaskSpec task = TaskSpec.of("p");
    assertRefused(
        job(JsonObject.create(), stage(text(64_000_001), task, task)), "job.json would have 64000");
  }

  @Test
  void metadataThatIsTooLargeToBeReadIsRefused() throws IOException {
    assertRefused(
        job(text(8_000_001), stage(JsonObject.create(), TaskSpec.of("p"), TaskSpec.of("q"))),
        "meta.json would have 8000");
  }

  @Test
  void aPromptWhoseFilesCouldNotBeReadIsRefused() {
    JobStore store = own();
    assertThatThrownBy(
            () -> store.submit(job(text(8_000_001), stage(JsonObject.create(), TaskSpec.of("p")))))
        .hasMessageContaining("meta.json would have 8000");
    for (String name : List.of("json_schema", "grammar")) {
      JsonObject large = JsonObject.create().put(name, "x".repeat(1_000_001));
      assertThatThrownBy(
              () -> store.submit(job(JsonObject.create(), stage(large, TaskSpec.of("p")))))
          .hasMessageContaining("has 1000001 bytes, at most 1000000");
      JsonObject blank = JsonObject.create().put(name, " ");
      assertThatThrownBy(
              () -> store.submit(job(JsonObject.create(), stage(blank, TaskSpec.of("p")))))
          .hasMessageContaining("is empty");
    }
    assertThat(store.list(JobReader.Query.all())).isEmpty();
  }

  @Test
  void aReceiptLeavesRoomForTheFinalMetadata() {
    JobStore store = own();
    JobId id = store.submit(job(text(7_990_000), stage(JsonObject.create(), TaskSpec.of("p"))));
    Claim claim = claim(store, 1).getFirst();
    TaskResult result = TaskResult.of("r");
    assertThatThrownBy(() -> store.complete(claim, result.withReceipt(text(8_000_000))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("receipt");
    assertThat(store.complete(claim, result.withReceipt(text(7_000_000)))).isEqualTo(Outcome.DONE);
    assertThat(store.state(id)).contains(JobState.COMPLETED);
    assertThat(store.task(id, 1, 1).orElseThrow().result().receipt()).isEqualTo(text(7_000_000));
  }

  /** With an indent for each value, such a job would be two hundred times as large. */
  @Test
  void fieldsWithAnyValueAreWrittenOnOneLine() throws IOException {
    Object values = Collections.nCopies(20_000, 1);
    for (int level = 0; level < 90; level++) {
      values = List.of(values);
    }
    JsonObject deep = JsonObject.create().put("x", values);
    List<TaskSpec> tasks =
        IntStream.range(0, 2_000)
            .mapToObj(i -> new TaskSpec(1L, false, 1 + i % 2, JsonObject.create(), null))
            .toList();
    JobStore store = own();
    JobId id = store.submit(job(deep, stage(deep, tasks.toArray(TaskSpec[]::new))));
    Path dir = place(JobState.PENDING, id);
    int once = Json.write(deep).length();
    assertThat(Files.size(dir.resolve("job.json"))).isLessThan(2 * once + 2_000 * 60);
    assertThat(Files.size(dir.resolve("meta.json"))).isLessThan(once + 1_000);
    assertThat(dir.resolve("job.json"))
        .content()
        .contains("\n        \"type\"")
        .contains("\n  \"v\"");
    assertThat(store.find(id).orElseThrow().stages().getFirst().total()).isEqualTo(2_000);
    assertThat(store.task(id, 1, 2_000).orElseThrow().maxAttempts()).isEqualTo(2);
  }

  @Test
  void aJobThatCannotBeReadIsShownFromItsMetadata() throws IOException {
    JobStore store = own();
    JobId id =
        store.submit(
            TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2"), TestJobSpecs.stage("b", "3")));
    Files.writeString(place(JobState.PENDING, id).resolve("job.json"), "{");
    for (JobReader reading :
        List.<JobReader>of(store, new FsReader(new RealDisk(dir), layout, Threading.SYSTEM))) {
      var view = reading.find(id).orElseThrow();
      assertThat(view.stages().getFirst().type()).isEqualTo("a");
      assertThat(view.stages().getFirst().total()).isEqualTo(2);
      assertThat(view.error()).startsWith("job.json: not valid JSON at line 1, column 2");
      assertThatThrownBy(() -> reading.spec(id)).hasMessageContaining("job.json");
    }
    assertThat(claim(store, 9)).isEmpty();
    assertThat(store.state(id)).contains(JobState.FAILED);
    assertThat(store.find(id).orElseThrow().error())
        .startsWith("stage 1 (a): task 1: job.json: not valid JSON");
  }

  @Test
  void anOpenJobThatCannotBeReadIsShownAndAborted() throws IOException {
    JobStore store = own();
    JobId id = store.submit(TestJobSpecs.open());
    store.addStage(id, TestJobSpecs.stage("a", "1", "2"), SimulatedStore.ANNA);
    close(store);
    Files.writeString(place(JobState.PENDING, id).resolve("job.json"), "{");
    store = own();
    assertThat(store.find(id).orElseThrow().error()).startsWith("job.json: ");
    assertThat(store.find(id).orElseThrow().stages().getFirst().total()).isEqualTo(2);
    assertThat(store.abort(id, SimulatedStore.ANNA)).isEqualTo(Outcome.DONE);
    assertThat(store.delete(id)).isEqualTo(Outcome.DONE);
    assertThat(store.state(id)).isEmpty();
  }

  @Test
  void aJobWhoseLogCannotBeReadIsNamedAndPruned() throws IOException {
    JobStore store = own();
    JobId id =
        store.submit(TestJobSpecs.open(TestJobSpecs.stage("a", "1"), TestJobSpecs.stage("b", "2")));
    store.addStage(id, TestJobSpecs.stage("c", "3"), SimulatedStore.ANNA);
    JobId other = store.submit(TestJobSpecs.plain("other"));
    close(store);
    Files.writeString(place(JobState.PENDING, id).resolve("job.json"), "{");
    JobStore next = own();
    assertThatThrownBy(() -> next.abort(id, SimulatedStore.ANNA))
        .hasMessageContaining("is damaged and skipped: job.json: not valid JSON")
        .hasMessageContaining("move its directory to cancelled/ and prune it there");
    completeAll(next);
    assertThat(next.state(other)).contains(JobState.COMPLETED);
    Files.move(place(JobState.PENDING, id), place(JobState.ABORTED, id));
    Instant soon = Instant.now().plusSeconds(60);
    assertThat(next.prune(soon, Set.of(JobState.values()))).isEqualTo(2);
    assertThat(next.state(id)).isEmpty();
    assertThat(next.state(other)).isEmpty();
  }

  @Test
  void additionsCountForTheSizeOfTheJob() throws IOException {
    JobStore store = own();
    JobId id =
        store.submit(TestJobSpecs.open(TestJobSpecs.stage("a", "1"), TestJobSpecs.stage("b")));
    Path tasks = place(JobState.PENDING, id).resolve("stages/1-a/tasks.jsonl");
    try (RandomAccessFile file = new RandomAccessFile(tasks.toFile(), "rw")) {
      file.setLength(JobSizeLimits.MAX_JOB_BYTES - 100); // sparse, as if that much had been added
    }
    JsonObject small = JsonObject.create().put("some", "json");
    assertThat(store.addTasks(id, 2, List.of(TaskSpec.of(small)), SimulatedStore.ANNA))
        .isEqualTo(new Added(Outcome.DONE, 1));
    Added large = store.addTasks(id, 2, List.of(TaskSpec.of(text(100))), SimulatedStore.ANNA);
    assertThat(((Outcome.Refused) large.outcome()).reason()).isEqualTo(Reason.TOO_LARGE);
    Added stage = store.addStage(id, TestJobSpecs.stage("c", "x".repeat(100)), SimulatedStore.ANNA);
    assertThat(((Outcome.Refused) stage.outcome()).reason()).isEqualTo(Reason.TOO_LARGE);
    assertThat(store.tasks(id, 2, 1, 9)).hasSize(1);
    assertThat(store.find(id).orElseThrow().stages()).hasSize(2);
  }

  @Test
  void aJobWithTheLongestIdHasWebhooks() {
    JobStore store = own();
    JobId id = new JobId("1".repeat(128));
    assertThat(store.submit(TestJobSpecs.hooked(TestJobSpecs.plain("x")), id)).isTrue();
    assertThat(store.noteNames(NoteStore.WEBHOOKS)).containsExactly(id.value());
  }

  @Test
  void aJobThatWasDeletedByHandCanBeSubmittedAgain() throws IOException {
    JobStore store = own();
    JobId id = new JobId("00001736700000000000_1_000000");
    assertThat(store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "1", "2")), id)).isTrue();
    Claim claim = claim(store, 1).getFirst();
    DirectoryDeleter.delete(new RealDisk(dir), place(JobState.IN_PROGRESS, id));
    assertThat(store.submit(TestJobSpecs.job(TestJobSpecs.stage("a", "3")), id)).isTrue();
    assertThat(store.task(id, 1, 1).orElseThrow().input()).isEqualTo("3");
    assertThat(store.complete(claim, TaskResult.of("late"))).isNotEqualTo(Outcome.DONE);
    completeAll(store);
    assertThat(result(store, id)).isEqualTo("<3>");
  }
}

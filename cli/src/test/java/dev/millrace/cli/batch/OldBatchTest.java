package dev.millrace.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.Workspace;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Batches begun by versions whose jobs do not say which lines they answer. */
class OldBatchTest extends BatchFixture {
  private static final List<String> CONTENTS = List.of("1", "2", "3", "4");
  private static final String EMPTY_FILE =
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  private JobId job;

  /** As they were submitted: the first line is done, the second has failed. */
  @BeforeEach
  void begin() throws IOException {
    requests(CONTENTS.toArray(String[]::new));
    BatchFile file =
        BatchFile.read(dir.resolve("in.jsonl"), "in.jsonl", new BatchFile.Models(true, null));
    JobSpec spec =
        JobSpec.builder()
            .name("in.jsonl")
            .tags(List.of("batch-" + file.key()))
            .metadata(
                JsonObject.create()
                    .put("batch", file.sha256())
                    .put("url", "/v1/chat/completions")
                    .put("model", "m")
                    .put("model_sha256", EMPTY_FILE))
            .stages(
                List.of(
                    StageSpec.builder("generate")
                        .tolerance(FailureTolerance.ALL)
                        .tasks(CONTENTS.stream().map(OldBatchTest::task).toList())
                        .data(JsonObject.create().put("model", "m"))
                        .build()))
            .build();
    Workspace workspace = Workspace.open(dir.resolve("in.jsonl.millrace"));
    job = workspace.work().submit(spec).id();
    try (JobStore store = workspace.own().orElseThrow()) {
      List<Claim> claims = store.claim(new ClaimRequest(Set.of("generate"), 2, "test", null));
      store.complete(claims.get(0), answer("1"));
      store.fail(claims.get(1), Failure.permanent("out of luck"));
    }
    worked.clear();
  }

  private static TaskSpec task(String content) {
    return TaskSpec.of(
        Map.of("messages", List.of(Map.of("role", "user", "content", content)), "max_tokens", 5L));
  }

  @Test
  void theSameFileResumesTheJob() throws IOException {
    InProcessCli.Result result = batch("in.jsonl", "-m", "m.gguf");
    assertThat(result.err()).contains("job " + job + " exists already: resuming it");
    assertThat(result.err()).contains("line 2 (id-2): out of luck");
    assertThat(worked).containsExactlyInAnyOrder("3", "4");
    assertThat(answers()).containsExactly("re: 1", "out of luck", "re: 3", "re: 4");
    assertThat(output().get(2).string("id")).as("as that version wrote it").endsWith("-3");
    assertThat(batch("in.jsonl").err()).contains("job " + job + " is done");
  }

  @Test
  void itsFailedLinesAreRunAgainAlone() throws IOException {
    assertThat(batch("in.jsonl", "-m", "m.gguf", "--retry-failed").status()).isZero();
    assertThat(worked).containsExactlyInAnyOrder("2", "3", "4");
    assertThat(answers()).containsExactly("re: 1", "re: 2", "re: 3", "re: 4");
    worked.clear();
    assertThat(batch("in.jsonl", "-m", "m.gguf").status()).isZero();
    assertThat(worked).isEmpty();
    assertThat(answers()).containsExactly("re: 1", "re: 2", "re: 3", "re: 4");
  }

  @Test
  void aChangedFileIsAnotherBatch() throws IOException {
    requests("1", "2", "3", "5");
    assertThat(batch("in.jsonl", "-m", "m.gguf").status()).isZero();
    assertThat(answers()).containsExactly("re: 1", "re: 2", "re: 3", "re: 5");
    assertThat(worked).contains("1", "2", "3", "5");
  }

  @Test
  void anAbortedJobIsNotResumed() throws IOException {
    new InProcessCli(dir).run("abort", "in.jsonl.millrace", job.value());
    assertThat(batch("in.jsonl", "-m", "m.gguf").status()).isZero();
    assertThat(worked).containsExactlyInAnyOrder("1", "2", "3", "4");
    assertThat(Workspace.open(dir.resolve("in.jsonl.millrace")).reader().state(job))
        .contains(JobState.ABORTED);
  }
}

package dev.millrace.server.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.Flow;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.server.FakeTaskContext;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Server;
import dev.millrace.store.fs.Workspace;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A prompt in a workspace on disk, processed by several owners in turn. */
@Timeout(120)
class InferenceOnDiskTest {
  private static final String DATA =
      "{\"max_tokens\": 150, \"temperature\": 1.1, \"ignore_eos\": true, \"seed\": 5}";

  @TempDir Path directory;

  private static Server serve(JobStore store, Inference inference) {
    return Server.builder(store).group(inference.slots(), inference.workers()).build().start();
  }

  /** How many tokens are journaled. */
  private static int journaled(JobStore store, JobId job) {
    return store.outputSoFar(job, 1, 1, 0).pieces().stream().mapToInt(p -> p.tokens().size()).sum();
  }

  @Test
  void anyNumberOfOwnersGiveTheSameText() throws Exception {
    Workspace workspace = Workspace.open(directory);
    StageSpec stage =
        StageSpec.builder("generate")
            .policy(InMemoryServer.ONE_ATTEMPT)
            .tasks(List.of(TaskSpec.of("once upon a time")))
            .data(Json.object(DATA))
            .build();
    JobId job = workspace.submitter().submit(JobSpec.of(List.of(stage)));
    try (Inference inference = Inference.open(TinyModels.serving(TinyModels.llama()))) {
      FakeTaskContext alone = FakeTaskContext.generate("once upon a time", DATA);
      String text = TaskRunFixture.result(inference, alone).text();
      for (int owner = 0; owner < 3; owner++) {
        try (SlowWheel _ = new SlowWheel(inference);
            JobStore store = workspace.own().orElseThrow()) {
          int before = journaled(store, job);
          try (Server _ = serve(store, inference)) {
            while (journaled(store, job) <= before) {
              store.awaitChange(job, Duration.ofMillis(5));
            }
          }
          assertThat(text).startsWith(store.outputSoFar(job, 1, 1, 0).text());
        }
      }
      try (JobStore store = workspace.own().orElseThrow();
          Server _ = serve(store, inference)) {
        assertThat(new Flow(store).await(job, InMemoryServer.TIMEOUT).isFinal()).isTrue();
        TaskView task = store.tasks(job, 1, 1, 1).getFirst();
        assertThat(task.result())
            .satisfies(result -> assertThat(result.text()).isEqualTo(text))
            .satisfies(
                result ->
                    assertThat(result.receipt())
                        .satisfies(
                            receipt ->
                                assertThat(receipt.integer("resumed")).isGreaterThanOrEqualTo(3)));
      }
      Path meta = directory.resolve("output").resolve(job.toString()).resolve("meta.json");
      JsonObject receipt = Json.object(Files.readString(meta)).object("receipt");
      assertThat(receipt.string("finish_reason")).isEqualTo("length");
      assertThat(receipt.integer("completion_tokens")).isEqualTo(150);
    }
  }
}

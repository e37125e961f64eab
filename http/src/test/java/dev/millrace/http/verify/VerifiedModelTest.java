package dev.millrace.http.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.api.server.TaskVerdict;
import dev.millrace.client.MillraceClient;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceSettings;
import dev.millrace.server.infer.model.NamedModel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A task of the house model gives the same bytes when a client has it run again. */
@Tag("slow")
class VerifiedModelTest {
  @Test
  void finishedTaskGivesTheSameBytesAgain() throws Exception {
    InferenceSettings settings =
        InferenceSettings.of(
                List.of(new NamedModel("house", Path.of("../models/house/house.gguf"))))
            .withEngine(EngineSettings.usual().withContext(512).withSlots(4).withTokens(2048));
    try (Inference inference = Inference.open(settings);
        InMemoryServer server = new InMemoryServer();
        HttpApi api = HttpApi.over(server.store, HttpSettings.loopback(0), null)) {
      api.attach(
          server.start(server.builder().group(inference.slots(), inference.workers())), inference);
      JsonObject data = JsonObject.create().put("max_tokens", 24).put("temperature", 0.8);
      JobId job =
          server.submit(
              StageSpec.builder("generate")
                  .data(data)
                  .tasks(List.of(TaskSpec.of("Once upon a time")))
                  .build());
      server.await(job);
      String text = server.task(job).result().text();
      try (MillraceClient client =
          MillraceClient.at(api.open(Set.of("generate"), Set.of("house"), Optional::empty))) {
        assertThat(client.tasks().verify(new EntityId(job, 1, 1).uuid(), Duration.ofMinutes(1)))
            .isEqualTo(
                new TaskVerdict(true, true, "the same %d characters".formatted(text.length())));
      }
    }
  }
}

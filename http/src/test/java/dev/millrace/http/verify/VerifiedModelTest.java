package dev.millrace.http.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import dev.millrace.server.infer.model.ModelStats;
import dev.millrace.server.infer.model.NamedModel;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tasks of the house model that clients have run again. */
@Tag("slow")
@Timeout(180)
class VerifiedModelTest {
  private static final int TOKENS = 900;
  private static final int MOST_TRIES = 10;

  private final InMemoryServer server = new InMemoryServer();
  private final HttpApi api = HttpApi.over(server.store, HttpSettings.loopback(0), null);
  private Inference inference;
  private URI at;

  @BeforeEach
  void open() {
    inference =
        Inference.open(
            InferenceSettings.of(
                    List.of(new NamedModel("house", Path.of("../models/house/house.gguf"))))
                .withEngine(
                    EngineSettings.usual().withContext(1000).withSlots(4).withTokens(2048)));
    api.attach(
        server.start(server.builder().group(inference.slots(), inference.workers())), inference);
    at = api.open(Set.of("generate"), Set.of("house"), Optional::empty);
  }

  @AfterEach
  void close() {
    api.close();
    server.close();
    inference.close();
  }

  /** A task that has generated so many tokens. */
  private EntityId generated(int tokens) throws InterruptedException {
    JsonObject data =
        JsonObject.create()
            .put("max_tokens", tokens)
            .put("temperature", 0.8)
            .put("ignore_eos", true);
    JobId job =
        server.submit(
            StageSpec.builder("generate")
                .data(data)
                .tasks(List.of(TaskSpec.of("Once upon a time")))
                .build());
    server.await(job);
    return new EntityId(job, 1, 1);
  }

  @Test
  void finishedTaskGivesTheSameBytesAgain() throws Exception {
    EntityId task = generated(24);
    int characters = server.task(task.job()).result().text().length();
    try (MillraceClient client = MillraceClient.at(at)) {
      assertThat(client.tasks().verify(task.uuid(), Duration.ofMinutes(1)))
          .isEqualTo(new TaskVerdict(true, true, "the same %d characters".formatted(characters)));
    }
  }

  private ModelStats stats() {
    return inference.stats().models().getFirst();
  }

  /** Nothing is computed for nobody; a slow machine may notice it late, but not each time. */
  @Test
  void clientThatLeavesFreesTheModel() throws Exception {
    EntityId task = generated(TOKENS);
    long computed = TOKENS;
    for (int tries = 0; tries < MOST_TRIES && computed >= TOKENS; tries++) {
      computed = computedForOneWhoLeaves(task);
    }
    assertThat(computed).isPositive().isLessThan(TOKENS);
  }

  private long computedForOneWhoLeaves(EntityId task) throws Exception {
    long before = stats().batchTokens();
    String head =
        "POST /v1/tasks/%s/verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";
    try (Socket leaving = new Socket(at.getHost(), at.getPort())) {
      leaving
          .getOutputStream()
          .write(head.formatted(task.uuid()).getBytes(StandardCharsets.US_ASCII));
      await().atMost(Duration.ofSeconds(60)).until(() -> stats().batchTokens() > before);
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> stats().running() == 0);
    return stats().batchTokens() - before;
  }
}

package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import dev.millrace.server.infer.TwoModels;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.shelf.ModelLease;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Responses in the background whose model is not loaded: another one uses the memory. */
@Timeout(60)
class UnloadedModelResponsesTest {
  private static final String REQUEST =
      "{'model':'other','input':'once','background':true,'max_output_tokens':16%s}";

  private final TwoModels models = new TwoModels(new AtomicLong());
  private ResponseTestServer server;

  @BeforeEach
  void open() throws Exception {
    server = new ResponseTestServer(models.inference);
  }

  @AfterEach
  void close() throws Exception {
    server.close();
  }

  private String status(String path) throws Exception {
    return server.get(path).string("status");
  }

  @Test
  void aResponseIsQueuedAndReadableUntilItsModelIsLoaded() throws Exception {
    String path;
    try (ModelLease<LoadedModel> _ = models.lease("tiny")) {
      JsonObject made = server.post("/v1/responses", REQUEST.formatted(""));
      assertThat(made.string("status")).isEqualTo("queued");
      assertThat(made.list("output")).isEmpty();
      path = "/v1/responses/" + made.string("id");
      assertThat(status(path)).isIn("queued", "in_progress");
      await().until(() -> status(path).equals("in_progress"));
      assertThat(server.get(path + "/input_items").list("data")).hasSize(1);
      assertThat(server.stats().loaded()).containsExactly("tiny");
    }
    await().until(() -> !status(path).equals("in_progress"));
    JsonObject ended = server.get(path);
    assertThat(ended.string("status")).isIn("completed", "incomplete");
    assertThat(ended.object("usage").integer("output_tokens")).isBetween(1L, 16L);
    assertThat(server.stats().loaded()).containsExactly("other");
  }

  @Test
  void aStreamBeginsBeforeTheModelIsLoadedAndEndsAfterwards() throws Exception {
    List<String> types = new ArrayList<>();
    ModelLease<LoadedModel> used = models.lease("tiny");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                server.open("/v1/responses", REQUEST.formatted(",'stream':true")).body(),
                StandardCharsets.UTF_8))) {
      while (!types.contains("response.queued")) {
        collect(lines.readLine(), types);
      }
      assertThat(server.stats().loaded()).containsExactly("tiny");
      used.close();
      String line;
      while ((line = lines.readLine()) != null) {
        collect(line, types);
      }
    } finally {
      used.close();
    }
    assertThat(types).startsWith("response.created", "response.queued", "response.in_progress");
    assertThat(types.getLast()).isIn("response.completed", "response.incomplete");
    assertThat(types).doesNotContain("error", "response.failed");
  }

  private static void collect(String line, List<String> types) {
    if (line.startsWith("event: ")) {
      types.add(line.substring(7));
    }
  }

  @Test
  void aResponseThatWaitsForItsModelCanBeCancelledAndDeleted() throws Exception {
    try (ModelLease<LoadedModel> _ = models.lease("tiny")) {
      String cancelled =
          "/v1/responses/" + server.post("/v1/responses", REQUEST.formatted("")).string("id");
      assertThat(server.post(cancelled + "/cancel", "").string("status")).isEqualTo("cancelled");
      String deleted =
          "/v1/responses/" + server.post("/v1/responses", REQUEST.formatted("")).string("id");
      assertThat(server.delete(deleted).flag("deleted", false)).isTrue();
      server.refused(404, "GET", deleted, null);
      assertThat(server.stats().loaded()).containsExactly("tiny");
    }
  }
}

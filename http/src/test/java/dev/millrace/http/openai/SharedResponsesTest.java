package dev.millrace.http.openai;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.HttpApi;
import dev.millrace.http.HttpSettings;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Responses that one server of a database makes are read and streamed at another one, which has no
 * model.
 */
@Tag("slow")
@Timeout(120)
class SharedResponsesTest {
  private static EmbeddedPostgres postgres;
  private static PostgresDatabase database;
  private static ResponseTestServer maker;
  private static JobStore store;
  private static Server server;
  private static HttpApi api;
  private static URI other;

  @BeforeAll
  static void start() throws IOException {
    postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    database =
        PostgresDatabase.open(
            PostgresSettings.parse(
                "postgresql://postgres@localhost:" + postgres.getPort() + "/postgres", Map.of()));
    maker = new ResponseTestServer(database.join("maker"));
    store = database.join("other");
    server = Server.builder(store).worker(Worker.of("resize", _ -> "")).build().start();
    api = HttpApi.over(store, HttpSettings.loopback(0).withKeys(maker.keyFile()), null);
    other = api.open(server, Set.of("resize"), null);
  }

  @AfterAll
  static void stop() throws IOException {
    api.close();
    server.close();
    store.close();
    maker.close();
    database.close();
    postgres.close();
  }

  private static JsonObject make(String fields) throws Exception {
    return maker.post("/v1/responses", "{'input':'Hello'," + fields + "}");
  }

  private static String path(String id) {
    return "/v1/responses/" + id;
  }

  @Test
  void aResponseIsTheSameAtBothServers() throws Exception {
    JsonObject made = make("'seed':1,'max_output_tokens':16");
    String path = path(made.string("id"));
    assertThat(Json.object(maker.sendTo(other, "GET", path))).isEqualTo(made);
    assertThat(Json.object(maker.sendTo(other, "GET", path + "/input_items")))
        .isEqualTo(maker.get(path + "/input_items"));
    assertThat(maker.sendTo(other, "DELETE", path)).contains("\"deleted\":true");
    maker.refused(404, "GET", path, null);
  }

  @Test
  void aStreamOfOneServerIsRepeatedAtTheOtherFromAnyNumber() throws Exception {
    String live =
        maker.stream(
            "/v1/responses", "{'input':'Once','stream':true,'seed':3,'max_output_tokens':16}");
    int at = live.indexOf("resp_");
    String path = path(live.substring(at, at + 37)) + "?stream=true";
    assertThat(maker.sendTo(other, "GET", path)).isEqualTo(live);
    List<String> frames = List.of(live.split("(?<=\n\n)"));
    for (int after : new int[] {0, frames.size() / 2, frames.size() - 2}) {
      assertThat(maker.sendTo(other, "GET", path + "&starting_after=" + after))
          .isEqualTo(String.join("", frames.subList(after + 1, frames.size())));
    }
  }

  @Test
  void aResponseThatIsBeingMadeIsStreamedAtTheOtherServer() throws Exception {
    JsonObject queued = make("'background':true,'max_output_tokens':300,'seed':2");
    assertThat(queued.string("status")).isEqualTo("queued");
    String path = path(queued.string("id"));
    String followed = maker.sendTo(other, "GET", path + "?stream=true");
    assertThat(followed)
        .contains("event: response.queued")
        .contains("event: response.output_text.delta")
        .endsWith("data: [DONE]\n\n");
    assertThat(maker.events(path + "?stream=true")).isEqualTo(followed);
    assertThat(Json.object(maker.sendTo(other, "GET", path)).string("status"))
        .isIn("completed", "incomplete");
  }
}

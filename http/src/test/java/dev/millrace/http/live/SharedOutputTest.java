package dev.millrace.http.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.live.EventReader.Event;
import dev.millrace.server.Worker;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two servers on one database: what the one runs is followed at the other. */
@Tag("slow")
@Timeout(120)
class SharedOutputTest {
  private static EmbeddedPostgres postgres;
  private static PostgresDatabase database;

  @BeforeAll
  static void start() throws IOException {
    postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
    database =
        PostgresDatabase.open(
            PostgresSettings.parse(
                "postgresql://postgres@localhost:" + postgres.getPort() + "/postgres", Map.of()));
  }

  @AfterAll
  static void stop() throws IOException {
    database.close();
    postgres.close();
  }

  private static LiveTestServer server(String name, Worker... workers) {
    return new LiveTestServer(
        database.join(name), HttpSettings.loopback(0), ProcessClock.system(), workers);
  }

  @Test
  void textOfAnotherServerComesByPolling() throws Exception {
    StubModel model = new StubModel();
    try (LiveTestServer runs = server("one", model);
        LiveTestServer shows = server("other")) {
      JobId job = shows.submit("shared", "generate", "a");
      try (EventReader events = shows.output(job)) {
        model.say("a", "Once ");
        assertThat(events.require().data().string("text")).isEqualTo("Once ");
        model.say("a", "upon ");
        assertThat(events.require().data().string("text")).isEqualTo("upon ");
        model.end("a");
        Event end = events.require();
        assertThat(end.name()).isEqualTo("end");
        assertThat(end.data().string("result")).isEqualTo("Once upon ");
      }
      assertThat(runs.live.feed().isRunning()).isFalse();
    }
  }

  @Test
  void countsAndTheQueueAreThoseOfAllServers() throws Exception {
    try (LiveTestServer one = server("one");
        LiveTestServer other = server("other")) {
      JobId job = one.submit("waits", "nowhere", "a");
      try (EventReader events = other.events("/v1/live")) {
        JsonObject state = events.await(json -> json.integer("waitingTotal") == 1);
        assertThat(state.list("waiting").toString()).contains(job.value(), "waits");
        assertThat(state.object("tasks").integer("PENDING")).isEqualTo(1);
      }
    }
  }
}

package dev.millrace.http.so1;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.so1.SseTestClient.Event;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A client follows a job at one server, and continues at another one of the same database. */
@Tag("slow")
@Timeout(120)
class SharedDatabaseEventsTest {
  private static final int LINES = 40;

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

  private static String events(JobId id) {
    return So1TestServer.path(id) + "/events";
  }

  private static void log(So1TestServer server, Claim claim, String line) {
    server.store.log(claim, "info", line);
  }

  /** Reads up to the line, and no further. */
  private static void readTo(String line, SseTestClient client, List<Event> seen)
      throws IOException {
    do {
      seen.add(client.next());
    } while (!seen.getLast().data().toString().contains(line));
  }

  private static SseTestClient follow(So1TestServer server, JobId id, List<Event> seen)
      throws IOException {
    return SseTestClient.to(
        server, events(id), "Last-Event-ID", Long.toString(seen.getLast().id()));
  }

  @Test
  void eventsContinueAtAnotherServerWithoutAGap() throws Exception {
    try (So1TestServer other = new So1TestServer(database.join("other"))) {
      So1TestServer one = new So1TestServer(database.join("one"));
      List<Event> seen = new ArrayList<>();
      JobId id = one.submit(JobSpec.prompt("generate", "Hello"));
      Claim claim =
          one.store
              .claim(new ClaimRequest(Set.of("generate"), 1, "remote", Duration.ofMinutes(10)))
              .getFirst();
      for (int i = 1; i <= LINES; i++) {
        log(i % 2 == 0 ? one : other, claim, "line " + i + ".");
      }
      try (SseTestClient client = SseTestClient.to(one, events(id) + "?cursor=0")) {
        readTo("line " + LINES / 2 + ".", client, seen);
      }
      try (SseTestClient client = follow(other, id, seen)) {
        readTo("line " + LINES + ".", client, seen);
        log(one, claim, "of the other server, live");
        readTo("of the other server, live", client, seen);
      }
      log(other, claim, "while nobody listens");
      try (SseTestClient client = follow(one, id, seen)) {
        readTo("while nobody listens", client, seen);
      }
      one.close();
      try (SseTestClient client = follow(other, id, seen)) {
        log(other, claim, "after the first server");
        readTo("after the first server", client, seen);
        assertThat(other.store.complete(claim, TaskResult.of("done"))).isEqualTo(Outcome.DONE);
        seen.addAll(client.rest());
        assertThat(client.endedInOrder()).isTrue();
      }
      assertThat(seen.getLast().state()).isEqualTo("success");
      assertThat(seen).extracting(Event::id).doesNotHaveDuplicates().isSorted();
      assertThat(seen.getFirst().id()).isEqualTo(1);
      assertThat(seen.getLast().id())
          .as("each entry of the log is one event")
          .isEqualTo(seen.size())
          .isEqualTo(other.store.find(id).orElseThrow().lastEvent());
    }
  }
}

package dev.millrace.http.jobnik;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.json.JsonObject;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The HTTP API of two servers on one database: a client may use either, at any time. */
@Tag("slow")
class SharedDatabaseTest {
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

  @Test
  void aJobIsSubmittedAtOneServerAndProcessedAtTheOther() {
    try (JobnikTestServer one = new JobnikTestServer(database.join("one"));
        JobnikTestServer other = new JobnikTestServer(database.join("other"))) {
      String job = one.job("{'name':'work','data':{'j':1},'userMetadata':{'a':1}}");
      one.tasks(other.stage(job, "t"), 2);
      JsonObject first = other.dequeue("t", "bob", "?lease=600").object();
      JsonObject second = one.dequeue("t", "eve", "?lease=600").object();
      assertThat(first.string("id")).isNotEqualTo(second.string("id"));
      assertThat(
              one.put(
                      "/v1/tasks/" + first.string("id") + "/heartbeat",
                      "{'token':'" + first.string("token") + "'}")
                  .object()
                  .integer("leaseSeconds"))
          .isEqualTo(600);
      assertThat(one.complete(first).status()).isEqualTo(200);
      assertThat(other.complete(second).status()).isEqualTo(200);
      assertThat(one.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
      assertThat(other.status("/v1/jobs/" + job)).isEqualTo("COMPLETED");
    }
  }

  @Test
  void aSearchAtOneServerFindsWhatOthersDo() {
    try (JobnikTestServer one = new JobnikTestServer(database.join("one"));
        JobnikTestServer other = new JobnikTestServer(database.join("other"))) {
      String path = "/v1/jobs/search?text=elsewhere";
      assertThat(one.get(path).object().integer("total")).isZero();
      String job = other.job("{'name':'from elsewhere','data':{}}");
      await().until(() -> one.get(path).object().integer("total") == 1);
      other.put("/v1/jobs/" + job + "/status", "{'status':'ABORTED'}");
      await().until(() -> one.get(path + "&status=ABORTED").object().integer("total") == 1);
      other.delete("/v1/jobs/" + job);
      await() // it learns of a deletion by listing the jobs
          .atMost(Duration.ofSeconds(60))
          .until(() -> one.get(path).object().integer("total") == 0);
    }
  }

  @Test
  void aKeyMeansTheSameJobAtEveryServer() {
    try (JobnikTestServer one = new JobnikTestServer(database.join("one"));
        JobnikTestServer other = new JobnikTestServer(database.join("other"))) {
      String body = "{'name':'once','data':{}}";
      String id = one.post("/v1/jobs", body, "Idempotency-Key", "k").id();
      assertThat(other.post("/v1/jobs", body, "Idempotency-Key", "k").id()).isEqualTo(id);
      assertThat(
              other.post("/v1/jobs", "{'name':'other','data':{}}", "Idempotency-Key", "k").status())
          .isEqualTo(409);
    }
  }
}

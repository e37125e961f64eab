package dev.millrace.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli.Result;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A batch in a database that servers share: they do the work, else this process does. */
@Tag("slow")
class BatchDatabaseTest extends BatchFixture {
  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void start() throws IOException {
    postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
  }

  @AfterAll
  static void stop() throws IOException {
    postgres.close();
  }

  private static String url(String schema) {
    return "postgresql://postgres@localhost:" + postgres.getPort() + "/postgres?schema=" + schema;
  }

  @Test
  void withoutAServerThisProcessDoesTheWork() throws IOException {
    requests("a", "b");
    Result result = batch("in.jsonl", "--workspace", url("alone"), "--model", "m.gguf");
    assertThat(result.status()).as(result.toString()).isZero();
    assertThat(answers()).containsExactly("re: a", "re: b");
    Result again = batch("in.jsonl", "--workspace", url("alone"), "--model", "m.gguf");
    assertThat(again.status()).as(again.toString()).isZero();
    assertThat(worked).as("it is durable").hasSize(2);
  }

  @Test
  void theServersOfTheDatabaseDoTheWork() throws IOException {
    requests("a", "b");
    String url = url("served");
    PostgresSettings settings = PostgresSettings.parse(url, Map.of());
    try (PostgresDatabase database = PostgresDatabase.open(settings);
        JobStore store = database.join("other");
        Server _ =
            Server.builder(store)
                .group(
                    2,
                    List.of(
                        Worker.ofOutcome(
                            "generate",
                            task -> new TaskOutcome.Done(answer(content(task.input()))))))
                .build()
                .start()) {
      database.announce(
          store,
          JsonObject.create()
              .put("types", List.of("generate"))
              .put("models", List.of(Map.of("name", "m"))),
          true);
      Result result = batch("in.jsonl", "--workspace", url, "--model", "m");
      assertThat(result.status()).as(result.toString()).isZero();
      assertThat(answers()).containsExactly("re: a", "re: b");
      assertThat(opened).as("workers of this process").hasValue(0);
    }
  }

  @Test
  void aFileWithAMistakeMakesNoTables() throws IOException {
    file(List.of("{}"));
    assertThat(batch("in.jsonl", "--workspace", url("typo"), "--model", "m.gguf").status())
        .isNotZero();
    assertThat(PostgresDatabase.hasTables(PostgresSettings.parse(url("typo"), Map.of()))).isFalse();
  }
}

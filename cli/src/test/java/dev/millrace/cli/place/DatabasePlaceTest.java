package dev.millrace.cli.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.InProcessCli.Result;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands on a database do what they do on a workspace. */
@Tag("slow")
class DatabasePlaceTest {
  private static EmbeddedPostgres postgres;

  @TempDir Path dir;

  @BeforeAll
  static void start() throws Exception {
    postgres =
        EmbeddedPostgres.builder()
            .setDataDirectoryCustomizer(DatabasePlaceTest::askAnnaForHerPassword)
            .setServerConfig("fsync", "off")
            .start();
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE ROLE anna LOGIN PASSWORD 's3cret'");
      statement.execute("CREATE SCHEMA annas AUTHORIZATION anna");
    }
  }

  private static void askAnnaForHerPassword(File data) {
    Path rules = data.toPath().resolve("pg_hba.conf");
    try {
      Files.writeString(rules, "host all anna all scram-sha-256\n" + Files.readString(rules));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @AfterAll
  static void stop() throws IOException {
    postgres.close();
  }

  private static String url(String schema) {
    return "postgresql://postgres@localhost:" + postgres.getPort() + "/postgres?schema=" + schema;
  }

  private InProcessCli cli() {
    return new InProcessCli(dir);
  }

  @Test
  void aJobIsSubmittedServedAndRead() {
    String url = url("served");
    String id = cli().submit(url, "hello");
    assertThat(cli().run("jobs", url, "--json").out()).contains(id).contains("PENDING");
    assertThat(cli().run("serve", "--store", url, "--status").line()).isEqualTo("not running");
    Result served =
        cli().run("serve", "--store", url, "--exec", "generate=tr a-z A-Z", "--no-http", "--drain");
    assertThat(served.status()).as(served.toString()).isZero();
    assertThat(cli().run("flow", url, id).line()).isEqualTo("HELLO");
  }

  @Test
  void leversWorkFromAnyProcess() {
    String url = url("levers");
    String id = cli().submit(url, "hello");
    assertThat(cli().run("pause", "--workspace", url, id).status()).isZero();
    assertThat(cli().run("jobs", url, "--json").out()).contains("PAUSED");
    assertThat(cli().run("resume", url, id).status()).isZero();
    assertThat(cli().run("abort", url, id).status()).isZero();
    assertThat(cli().env("MILLRACE_WORKSPACE", url).run("jobs", "--json").out())
        .contains("ABORTED");
  }

  @Test
  void aStoreMayBeADirectory() {
    String id = cli().submit("ws", "hello");
    Result served =
        cli()
            .run("serve", "--store", "ws", "--exec", "generate=tr a-z A-Z", "--no-http", "--drain");
    assertThat(served.status()).as(served.toString()).isZero();
    assertThat(cli().run("flow", "ws", id).line()).isEqualTo("HELLO");
  }

  @Test
  void commandsThatReadMakeNoTables() {
    String url = url("typo");
    for (String[] command :
        new String[][] {
          {"jobs", url},
          {"flow", url, "00001767225600000000_7_000001"},
          {"job", url, "00001767225600000000_7_000001"},
          {"abort", url, "00001767225600000000_7_000001"},
          {"serve", "--store", url, "--status"}
        }) {
      Result result = cli().run(command);
      assertThat(result.status()).as(result.toString()).isNotZero();
      assertThat(result.err())
          .contains("there are no tables in the schema typo of postgresql://postgres@localhost:");
    }
    assertThat(cli().env("MILLRACE_WORKSPACE", url).run("jobs").err()).contains("no tables");
    assertThat(cli().run("doctor", url).out()).contains("none in schema typo");
  }

  @Test
  void theStatusListsAllServers() {
    String url = url("many");
    PostgresSettings settings = PostgresSettings.parse(url, Map.of());
    try (PostgresDatabase database = PostgresDatabase.open(settings);
        JobStore one = database.join("host-a pid 1");
        JobStore other = database.join("host-b pid 2")) {
      database.announce(one, JsonObject.create().put("types", List.of("a")), true);
      database.announce(other, JsonObject.create().put("types", List.of("b")), false);
      Result status = cli().run("serve", "--store", url, "--status");
      assertThat(status.out().lines())
          .containsExactly("ready (host-a pid 1, types a)", "starting (host-b pid 2)");
      JsonObject json = Json.object(cli().run("serve", "--store", url, "--status", "--json").out());
      assertThat(json.list("types")).containsExactly("a", "b");
      assertThat(json.list("servers")).hasSize(2);
    }
  }

  @Test
  void doctorSaysWhatToDoAboutTheDatabaseAndNothingElse() {
    String url = "postgresql://anna@localhost:" + postgres.getPort() + "/postgres?schema=annas";
    Result wrong = cli().env("PGPASSWORD", "wr0ng").run("doctor", url);
    assertThat(wrong.out())
        .contains("; check the user and the password")
        .doesNotContain("check the permissions of the workspace");
  }

  @Test
  void doctorChecksADatabase() {
    String url = url("checked");
    Result empty = cli().run("doctor", url);
    assertThat(empty.out())
        .contains("PostgreSQL 1")
        .contains("none in schema checked; the first server makes them")
        .contains("fsync or full_page_writes is off")
        .contains("the connection is not encrypted, and stays on this machine")
        .contains("servers: none runs");
    assertThat(empty.status()).as("the sync is off").isEqualTo(1);
    cli().submit(url, "hello");
    assertThat(cli().run("doctor", url).out()).contains("tables: version");
  }

  @Test
  void noCommandShowsThePasswordItWasGiven() {
    String url = "postgresql://anna@localhost:" + postgres.getPort() + "/postgres?schema=annas";
    String id = cli().env("PGPASSWORD", "s3cret").submit(url, "hello");
    for (String[] command :
        new String[][] {
          {"doctor", url},
          {"serve", "--store", url, "--status"},
          {"serve", "--store", url, "--exec", "generate=env", "--no-http", "--drain"},
          {"flow", url, id},
          {"jobs", url, "--json"}
        }) {
      Result right = cli().env("PGPASSWORD", "s3cret").run(command);
      assertThat(right.out()).as(right.toString()).isNotEmpty();
      assertThat(right.toString()).doesNotContain("s3cret");
      Result wrong = cli().env("PGPASSWORD", "wr0ng").run(command);
      assertThat(wrong.toString()).doesNotContain("wr0ng").doesNotContain("s3cret");
      assertThat(wrong.out() + wrong.err())
          .as("of %s", List.of(command))
          .contains("postgresql://anna@localhost:" + postgres.getPort() + "/postgres?schema=annas")
          .contains("password authentication failed for user")
          .contains("; check the user and the password");
    }
  }

  @Test
  void whatIsWrongIsSaidWithoutThePassword() {
    Result unreachable = cli().run("jobs", "postgresql://anna:secret@127.0.0.1:1/jobs");
    assertThat(unreachable.status()).isNotZero();
    assertThat(unreachable.err())
        .contains("postgresql://anna@127.0.0.1:1/jobs?schema=millrace")
        .contains("check that it runs and can be reached")
        .doesNotContain("secret");
    assertThat(cli().run("jobs", "postgresql://anna:secret@db/jobs?schema=X").err())
        .contains("the schema \"X\" must have")
        .doesNotContain("secret");
    assertThat(cli().run("serve", "--store", url("stopped"), "--stop").err())
        .contains("a database has any number of them");
  }
}

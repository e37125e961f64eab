package dev.millrace.cli.place;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.InProcessCli;
import dev.millrace.cli.InProcessCli.Result;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
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
  void doctorChecksADatabase() {
    String url = url("checked");
    Result empty = cli().run("doctor", url);
    assertThat(empty.out())
        .contains("PostgreSQL 1")
        .contains("none in schema checked; the first server makes them")
        .contains("fsync or full_page_writes is off")
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
    assertThat(cli().run("serve", "--store", "/tmp/ws", "--exec", "a=b").err())
        .contains("--store names a database");
    assertThat(cli().run("serve", "--store", url("stopped"), "--stop").err())
        .contains("a database has any number of them");
  }
}

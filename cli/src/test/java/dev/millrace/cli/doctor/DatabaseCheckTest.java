package dev.millrace.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.postgres.DatabaseStatus;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What {@code doctor} says of a database that servers have used. */
@Tag("slow")
class DatabaseCheckTest {
  private static EmbeddedPostgres postgres;

  @BeforeAll
  static void start() throws IOException {
    postgres = EmbeddedPostgres.builder().setServerConfig("fsync", "off").start();
  }

  @AfterAll
  static void stop() throws IOException {
    postgres.close();
  }

  private static PostgresSettings settings(String schema) {
    return PostgresSettings.parse(
        "postgresql://postgres@localhost:"
            + postgres.getPort()
            + "/postgres?connections=4&schema="
            + schema,
        Map.of());
  }

  private static void execute(String statement) throws SQLException {
    try (Connection connection = postgres.getPostgresDatabase().getConnection();
        Statement running = connection.createStatement()) {
      running.execute(statement);
    }
  }

  private static Finding finding(String subject, String schema) {
    return findings(schema).all().stream()
        .filter(it -> it.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }

  private static Findings findings(String schema) {
    Findings findings = new Findings();
    new DatabaseCheck(settings(schema)).run(findings);
    return findings;
  }

  @Test
  void tablesThatNeedANewerProgramAreAFailure() throws SQLException {
    PostgresDatabase.open(settings("newer")).close();
    execute("INSERT INTO newer.schema_versions (version, minimum) VALUES (900, 1)");
    assertThat(finding("tables", "newer").level()).isEqualTo(Finding.Level.OK);
    execute("INSERT INTO newer.schema_versions (version, minimum) VALUES (901, 901)");
    Finding tables = finding("tables", "newer");
    assertThat(tables.level()).isEqualTo(Finding.Level.FAIL);
    assertThat(tables.text()).contains("newer need at least version 901, and this program knows");
    assertThat(tables.remedy()).isEqualTo("upgrade this program");
    assertThat(findings("newer").all())
        .as("what this program cannot know")
        .noneMatch(it -> Set.of("servers", "jobs").contains(it.subject()));
  }

  @Test
  void theServersThatLiveAreListed() throws SQLException {
    try (PostgresDatabase database = PostgresDatabase.open(settings("served"))) {
      JobStore one = database.join("host-a pid 1");
      database.announce(one, JsonObject.create().put("types", "a"), true);
      try (JobStore other = database.join("host-b pid 2")) {
        database.announce(other, JsonObject.create().put("types", "b"), false);
        assertThat(finding("servers", "served").text()).isEqualTo("2: host-a pid 1, host-b pid 2");
      }
      assertThat(finding("servers", "served").text()).isEqualTo("1: host-a pid 1");
      execute("DELETE FROM served.schema_versions WHERE version > 3");
      assertThat(finding("tables", "served").level()).isEqualTo(Finding.Level.WARN);
      assertThat(finding("servers", "served").text())
          .as("of an older version")
          .isEqualTo("1: host-a pid 1");
      one.close();
      assertThat(finding("servers", "served").text()).isEqualTo("none runs");
    }
  }

  @Test
  void jobsThatCannotBeReadAreAFailure() throws SQLException {
    try (PostgresDatabase database = PostgresDatabase.open(settings("damaged"))) {
      JobId id;
      try (JobStore store = database.visit("test")) {
        id = store.submit(JobSpec.prompt("a", "hello"));
      }
      assertThat(finding("jobs", "damaged").level()).isEqualTo(Finding.Level.OK);
      execute("UPDATE damaged.documents SET document = '{}'");
      try (JobStore store = database.join("test")) {
        assertThat(store.claim(new ClaimRequest(Set.of("a"), 1, "worker", null))).isEmpty();
      }
      Finding jobs = finding("jobs", "damaged");
      assertThat(jobs.level()).isEqualTo(Finding.Level.FAIL);
      assertThat(jobs.text()).startsWith("job " + id + ": ");
    }
  }

  @Test
  void aPlainConnectionToAnotherMachineIsAWarning() {
    Finding plain = encryption("192.0.2.1:5432", false);
    assertThat(plain.level()).isEqualTo(Finding.Level.WARN);
    assertThat(plain.text()).isEqualTo("the connection to 192.0.2.1 is not encrypted");
    assertThat(plain.remedy()).contains("sslmode=verify-full");
    assertThat(encryption("192.0.2.1", true).level()).isEqualTo(Finding.Level.OK);
    assertThat(encryption("127.0.0.1,[::1]:5432", false).level()).isEqualTo(Finding.Level.OK);
    assertThat(encryption("127.0.0.1,192.0.2.1", false).text()).contains(" to 192.0.2.1 is not");
  }

  private static Finding encryption(String hosts, boolean encrypted) {
    Findings findings = new Findings();
    DatabaseStatus status =
        new DatabaseStatus(
            "18",
            180_000,
            1,
            1,
            1,
            true,
            50,
            encrypted,
            Duration.ZERO,
            List.of(),
            Map.of(),
            Map.of());
    new DatabaseCheck(PostgresSettings.parse("postgresql://a@" + hosts + "/b", Map.of()))
        .run(findings, status);
    return findings.all().stream()
        .filter(it -> it.subject().equals("encryption"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theConnectionsOfAServerAreThoseThatItOpens() {
    assertThat(finding("connections", "none").text()).endsWith("; a server takes up to 6");
  }
}

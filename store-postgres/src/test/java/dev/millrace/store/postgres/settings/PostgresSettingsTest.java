package dev.millrace.store.postgres.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses are read as PostgreSQL's tools do, and no text shows a password. */
class PostgresSettingsTest {
  private static PostgresSettings parse(String url) {
    return PostgresSettings.parse(url, Map.of());
  }

  @Test
  void anAddressHasAllParts() {
    PostgresSettings settings =
        parse("postgresql://anna:s%40cret@db.example:6432/jobs?schema=a_1&sslmode=verify-full");
    assertThat(settings.jdbcUrl()).isEqualTo("jdbc:postgresql://db.example:6432/jobs");
    assertThat(settings.user()).isEqualTo("anna");
    assertThat(settings.password()).isEqualTo("s@cret");
    assertThat(settings.schema()).isEqualTo("a_1");
    assertThat(settings.properties()).containsExactly(Map.entry("sslmode", "verify-full"));
  }

  @Test
  void whatIsNotWrittenIsTakenFromTheEnvironment() {
    PostgresSettings settings =
        PostgresSettings.parse(
            "postgresql://",
            Map.of(
                "PGHOST",
                "db",
                "PGPORT",
                "6000",
                "PGDATABASE",
                "jobs",
                "PGUSER",
                "anna",
                "PGPASSWORD",
                "secret",
                "PGSSLMODE",
                "require",
                "PGSSLROOTCERT",
                "/etc/ca.pem"));
    assertThat(settings.jdbcUrl()).isEqualTo("jdbc:postgresql://db:6000/jobs");
    assertThat(settings.user()).isEqualTo("anna");
    assertThat(settings.password()).isEqualTo("secret");
    assertThat(settings.properties())
        .containsOnly(Map.entry("sslmode", "require"), Map.entry("sslrootcert", "/etc/ca.pem"));
    assertThat(settings.schema()).isEqualTo(PostgresSettings.DEFAULT_SCHEMA);
  }

  @Test
  void theLeaseIsInSeconds() {
    assertThat(parse("postgresql://db/jobs").lease()).isEqualTo(Duration.ofSeconds(20));
    PostgresSettings longer = parse("postgresql://db/jobs?lease=120");
    assertThat(longer.lease()).isEqualTo(Duration.ofMinutes(2));
    assertThat(parse(longer.toString())).isEqualTo(longer);
  }

  @Test
  void anEmptyVariableIsNone() {
    PostgresSettings settings =
        PostgresSettings.parse(
            "postgresql:///jobs",
            Map.of("PGHOST", "", "PGPORT", "", "PGUSER", "", "PGPASSWORD", "", "PGSSLMODE", ""));
    assertThat(settings.jdbcUrl()).isEqualTo("jdbc:postgresql://localhost:5432/jobs");
    assertThat(settings.user()).isNull();
    assertThat(settings.password()).as("so the file of PostgreSQL's tools is read").isNull();
    assertThat(settings.properties()).isEmpty();
  }

  @Test
  void theDatabaseBehindAPoolerIsNamedDirectly() {
    PostgresSettings pooled =
        PostgresSettings.parse(
            "postgresql://anna@pooler:6432/jobs?direct=db,[::1]:5433",
            Map.of("PGPORT", "6000", "PGHOST", "other"));
    assertThat(pooled.jdbcUrl()).isEqualTo("jdbc:postgresql://pooler:6432/jobs");
    assertThat(pooled.directJdbcUrl()).isEqualTo("jdbc:postgresql://db:5432,[::1]:5433/jobs");
    assertThat(pooled.withSchema("a").direct()).isEqualTo(pooled.direct());
    assertThat(pooled.properties()).isEmpty();
    String shown = "postgresql://anna@pooler:6432/jobs?schema=millrace&direct=db:5432,[::1]:5433";
    assertThat(pooled.toString()).isEqualTo(shown);
    assertThat(parse(shown)).isEqualTo(pooled);
    assertThat(parse("postgresql://db/jobs").directJdbcUrl())
        .isEqualTo("jdbc:postgresql://db:5432/jobs");
  }

  @Test
  void severalHostsAreTriedInOrder() {
    assertThat(parse("postgres://one,two:5433,[::1]/jobs").jdbcUrl())
        .isEqualTo("jdbc:postgresql://one:5432,two:5433,[::1]:5432/jobs");
  }

  @Test
  void aPasswordIsReadFromAFile(@TempDir Path dir) throws IOException {
    Path file = Files.writeString(dir.resolve("password"), "secret\n");
    assertThat(parse("postgresql://db/jobs?password_file=" + file).password()).isEqualTo("secret");
  }

  @Test
  void noTextShowsThePassword() {
    for (String url :
        new String[] {
          "postgresql://anna:secret@db/jobs",
          "postgresql://anna@db/jobs?password=secret",
          "postgresql://anna@db/jobs?sslpassword=secret"
        }) {
      assertThat(parse(url).toString()).isEqualTo("postgresql://anna@db:5432/jobs?schema=millrace");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "postgresql://anna:secret@db | the address names no database",
        "postgresql://anna:secret@d b/jobs | the address has no valid host and port",
        "postgresql://anna:secret@db/jobs?schema=A-b | the schema \"A-b\" must have",
        "postgresql://anna:secret@db/jobs?colour=red | a parameter \"colour\" that neither",
        "postgresql://anna:secret@db/jobs?lease=1 | the lease must be 2 to 3600 seconds, got 1",
        "postgresql://anna:secret@db/jobs?lease=3601 | the lease must be 2 to 3600 seconds",
        "postgresql://anna:secret@db/jobs?lease=20s | lease=20s is not a number",
        "postgresql://anna:secret@db/jobs?schema | a parameter without \"=\"",
        "postgresql://anna:secret%zz@db/jobs | a \"%\" that two hexadecimal digits do not follow",
        "postgresql://anna:secret@db/jobs?connections=1 | must be 2 to 1000, got 1",
        "postgresql://anna:secret@db/jobs?connections=x | connections=x is not a number",
        "postgresql://anna:secret@db/jobs?direct=d b | direct=d b is no host and port",
        "postgresql://anna:secret@db/jobs?sslmode=verify | sslmode=verify is none of disable,"
            + " allow",
        "postgresql://anna:1/secret@db | a password with a \"/\"; write \"%2F\" for it",
        "postgresql://anna@db/jobs?password_file=/missing | cannot read the password file /missing",
        "mysql://db/jobs | the address of a database starts with postgresql://"
      })
  void whatIsWrongIsNamedWithoutThePassword(String url, String problem) {
    assertThatThrownBy(() -> parse(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(problem)
        .hasMessageNotContaining("secret");
  }
}

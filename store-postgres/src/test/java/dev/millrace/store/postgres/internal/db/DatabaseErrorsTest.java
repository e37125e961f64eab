package dev.millrace.store.postgres.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors say where, what and what to do, and never the password. */
class DatabaseErrorsTest {
  private static StoreException explained(String url, SQLException e) {
    try (Database database = Database.of(PostgresSettings.parse(url, Map.of()))) {
      return DatabaseErrors.of(database, e);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "28P01 | password authentication failed for user | check the user and the password, in the",
        "28000 | role \"anna\" is not permitted to log in | check the user and the password, in"
            + " the",
        "28000 | no pg_hba.conf entry for …, no encryption | it may want TLS",
        "28000 | no pg_hba.conf entry for …, SSL encryption | let them in from this machine",
        "08004 | The server does not support SSL. | switch TLS on in the database",
        "3D000 | database \"jobs\" does not exist | create the database, or correct its name",
        "08P01 | database \"jobs\" does not exist | create the database, or correct its name",
        "08P01 | no such database: jobs | create the database, or correct its name",
        "08P01 | SASL authentication failed | check the user and the password, in the",
        "08P01 | no more connections allowed (max_client_conn) | raise max_client_conn",
        "08P01 | bind message supplies 1, but prepared statement \"S_1\" | prepareThreshold=0",
        "26000 | prepared statement \"S_1\" does not exist | prepareThreshold=0",
        "42P05 | prepared statement \"S_1\" already exists | prepareThreshold=0",
        "42501 | permission denied for schema | grant the user rights on the schema",
        "53100 | No space left on device | free some space on its disk",
        "53300 | sorry, too many clients already | raise max_connections",
        "08001 | Connection to db:5432 refused. | check that it runs and can be reached",
      })
  void eachCaseHasItsAdvice(String state, String text, String advice) {
    assertThat(explained("postgresql://anna:s3cret@db/jobs", new SQLException(text, state)))
        .hasMessageStartingWith(
            "the database postgresql://anna@db:5432/jobs?schema=millrace refuses: "
                + text.replaceAll("\\.$", "")
                + "; ")
        .hasMessageContaining(advice);
  }

  @Test
  void theReasonIsFoundUnderWhatAPoolSays() {
    SQLException failed =
        new SQLTransientConnectionException(
            "millrace - Connection is not available",
            new Exception(new SQLException("No space left on device", "53100")));
    StoreException e = explained("postgresql://anna@db/jobs", failed);
    assertThat(e).hasMessageContaining("No space left on device; free some space").hasCause(failed);
    assertThat(e.trouble()).isEqualTo(Trouble.FULL);
  }

  @Test
  void aHostThatIsNotKnownIsNamed() {
    SQLException failed =
        new SQLException("The connection attempt failed.", "08001", new UnknownHostException("db"));
    assertThat(explained("postgresql://anna@db/jobs", failed))
        .hasMessageEndingWith("refuses: The connection attempt failed; no host is called db");
  }

  @Test
  void anAddressWithoutAUserSaysWhoTriesToLogIn() {
    SQLException failed = new SQLException("no password was provided", "08004");
    assertThat(explained("postgresql://db/jobs", failed))
        .hasMessageContaining(
            "check the user, who is "
                + System.getProperty("user.name")
                + " as the address names none, and the password: write it into the variable"
                + " PGPASSWORD, a file (password_file=…)");
  }

  @Test
  void aShortPasswordIsNotCutOutOfOtherWords() {
    SQLException failed = new SQLException("database \"a\" of a is not a database", "3D000");
    assertThat(explained("postgresql://anna:a@db/jobs", failed))
        .hasMessageContaining("database \"…\" of … is not … database;");
  }

  @Test
  void aTextOfTheDatabaseDoesNotShowThePassword() {
    SQLException failed = new SQLException("invalid input: 's3cret'\nCONTEXT: …", "22P02");
    assertThat(explained("postgresql://anna:s3cret@db/jobs", failed))
        .hasMessageEndingWith("refuses: invalid input: '…' CONTEXT: …");
  }
}

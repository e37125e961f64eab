package dev.millrace.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.fixture.LoggedLines;
import dev.millrace.store.postgres.fixture.SecuredDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that wants TLS and passwords gets both, and no text shows a password. */
@Tag("slow")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SecuredDatabaseTest {
  /** Has what has a meaning in addresses, in files of passwords, or in SQL. */
  private static final String PASSWORD = "s3cret:%/@?&'\\ #";

  private static final String WRONG = "wr0ng";

  @TempDir static Path dir;
  private static SecuredDatabase server;

  @BeforeAll
  static void start() throws Exception {
    server = SecuredDatabase.start(dir, PASSWORD);
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  private static String url(String user, String host, String parameters) {
    return "postgresql://" + user + "@" + host + ":" + server.port() + "/jobs?" + parameters;
  }

  private static String verified() {
    return "sslmode=verify-full&sslrootcert=" + server.certificate();
  }

  private static void connect(String url, Map<String, String> environment) {
    PostgresDatabase.open(PostgresSettings.parse(url, environment)).close();
  }

  private static void connect(String parameters) {
    connect(url("anna", "localhost", parameters), Map.of("PGPASSWORD", PASSWORD));
  }

  @Test
  void jobsAreKeptOverVerifiedTls() throws SQLException {
    PostgresSettings settings =
        PostgresSettings.parse(
            url("anna", "localhost", "schema=kept"),
            Map.of(
                "PGPASSWORD",
                PASSWORD,
                "PGSSLMODE",
                "verify-full",
                "PGSSLROOTCERT",
                server.certificate().toString()));
    try (PostgresDatabase database = PostgresDatabase.open(settings);
        JobStore store = database.join("one")) {
      JobId id = store.submit(JobSpec.of(List.of(StageSpec.of("a", List.of(TaskSpec.of("1"))))));
      assertThat(store.state(id)).contains(JobState.PENDING);
      assertThat(server.connectionsWithoutTls()).as("also the one that listens").isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "localhost | sslmode=disable | no encryption; it may want TLS: write sslmode=verify-full",
        "127.0.0.1 | sslmode=verify-full&sslrootcert=OWN | its certificate is for another name",
        "localhost | sslmode=verify-full&sslrootcert=OTHER | its certificate is not trusted",
        "localhost | sslmode=verify-ca&sslrootcert=OTHER | its certificate is not trusted",
        "localhost | sslmode=verify-full&sslrootcert=/missing | /missing; name the certificate",
      })
  void aConnectionThatIsNotSafeIsRefused(String host, String parameters, String problem) {
    String url =
        url("anna", host, parameters)
            .replace("OWN", server.certificate().toString())
            .replace("OTHER", server.otherCertificate().toString());
    assertThatThrownBy(() -> connect(url, Map.of("PGPASSWORD", PASSWORD)))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("the database postgresql://anna@" + host + ":" + server.port())
        .hasMessageContaining(problem)
        .satisfies(e -> requireNoPassword(texts(e)));
  }

  @Test
  void aNameIsNotCheckedWhereOnlyTheAuthorityIs() {
    connect(
        url("anna", "127.0.0.1", "sslmode=verify-ca&sslrootcert=" + server.certificate()),
        Map.of("PGPASSWORD", PASSWORD));
  }

  @Test
  void thePasswordIsInTheEnvironmentTheAddressOrAFile() throws IOException {
    connect(verified());
    String encoded = URLEncoder.encode(PASSWORD, StandardCharsets.UTF_8).replace("+", "%20");
    connect(url("anna:" + encoded, "localhost", verified()), Map.of());
    connect(url("anna", "localhost", verified() + "&password=" + encoded), Map.of());
    Path file = Files.writeString(dir.resolve("password"), PASSWORD + "\n");
    connect(
        url("anna", "localhost", verified() + "&password_file=" + file),
        Map.of("PGPASSWORD", WRONG));
  }

  @Test
  void thePasswordIsInTheFileOfPostgresqlsTools() throws Exception {
    Path home = Files.createDirectory(dir.resolve("home"));
    String escaped = PASSWORD.replace("\\", "\\\\").replace(":", "\\:");
    String line = "localhost:" + server.port() + ":jobs:anna:";
    Files.writeString(home.resolve(".pgpass"), "# ours\n" + line + escaped + "\n");
    Path wrong = Files.writeString(dir.resolve("wrong"), line + WRONG + "\n");
    String url = url("anna", "localhost", verified());
    assertThat(connectApart(home, Map.of(), url)).contains("connected: postgresql://anna@");
    assertThat(connectApart(dir, Map.of("PGPASSFILE", home + "/.pgpass"), url))
        .contains("connected: ");
    assertThat(connectApart(home, Map.of("PGPASSWORD", ""), url))
        .as("an empty variable is none")
        .contains("connected: ");
    assertThat(connectApart(home, Map.of("PGPASSFILE", wrong.toString()), url))
        .contains(
            "password authentication failed for user \"anna\"; check the user and the password")
        .contains("(PGPASSFILE, ~/.pgpass)")
        .satisfies(SecuredDatabaseTest::requireNoPassword);
  }

  /** Connects from another process, whose variables and home are these. */
  private static String connectApart(Path home, Map<String, String> environment, String url)
      throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-XX:TieredStopAtLevel=1",
            "-Duser.home=" + home,
            "-cp",
            System.getProperty("java.class.path"),
            ConnectOnce.class.getName(),
            url);
    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
    builder.environment().putAll(environment);
    Process process = builder.redirectErrorStream(true).start();
    try {
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "anna | WRONG | password authentication failed for user \"anna\"; check the user and the"
            + " password, in the address, its password_file or PGPASSWORD",
        "anna | '' | no password was provided; check the user and the password: write it into the"
            + " variable PGPASSWORD",
        "bert | WRONG | user \"bert\", database \"jobs\", SSL encryption; correct the user or the",
      })
  void whoIsNotLetInIsToldWhyWithoutThePassword(String user, String password, String problem) {
    String url = url(user, "localhost", verified());
    try (LoggedLines log = LoggedLines.of("")) {
      assertThatThrownBy(() -> connect(url, Map.of("PGPASSWORD", password.replace("WRONG", WRONG))))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the database postgresql://" + user + "@localhost:" + server.port())
          .hasMessageContaining(problem)
          .satisfies(e -> requireNoPassword(texts(e)));
      requireNoPassword(log.lines().toString());
    }
  }

  /** All that a log or a terminal might show of it. */
  private static String texts(Throwable e) {
    StringWriter all = new StringWriter();
    e.printStackTrace(new PrintWriter(all));
    return all + e.toString();
  }

  private static void requireNoPassword(String text) {
    assertThat(text).isNotEmpty().doesNotContain("s3cret", WRONG);
  }
}

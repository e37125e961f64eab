package dev.millrace.store.postgres.chaos;

import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import io.zonky.test.db.postgres.util.LinuxUtils;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A PostgreSQL that keeps its data as one in production does, and that can be restarted. It is slow
 * to write its log on its own, so that a crash takes all that nobody has waited for.
 */
final class ChaosDatabase implements AutoCloseable {
  /** The user of the servers, who has no special rights. */
  static final String USER = "millrace";

  static final String SCHEMA = "chaos";

  private static final long MOST_SECONDS = 60;

  private final EmbeddedPostgres process;
  private final Path data;
  private final Path programs;
  private final Path log;

  private ChaosDatabase(EmbeddedPostgres process, Path data, Path log) throws IOException {
    this.process = process;
    this.data = data;
    this.log = log;
    this.programs =
        Path.of(postmaster().info().command().orElseThrow()).toAbsolutePath().getParent();
  }

  static ChaosDatabase start(Path directory) throws IOException, SQLException {
    Path data = Files.createDirectory(directory.resolve("data"));
    Path log = directory.resolve("postgres.log");
    EmbeddedPostgres process =
        EmbeddedPostgres.builder()
            .setDataDirectory(data)
            .setServerConfig("fsync", "on")
            .setServerConfig("full_page_writes", "on")
            .setServerConfig("synchronous_commit", "on")
            .setServerConfig("wal_writer_delay", "10s")
            .setServerConfig("max_connections", "80")
            .setServerConfig("logging_collector", "on")
            .setServerConfig("log_directory", directory.toString())
            .setServerConfig("log_filename", log.getFileName().toString())
            .start();
    ChaosDatabase database = new ChaosDatabase(process, data, log);
    try (Connection admin = database.admin();
        Statement statement = admin.createStatement()) {
      statement.execute("CREATE ROLE " + USER + " LOGIN");
      statement.execute("CREATE SCHEMA " + SCHEMA + " AUTHORIZATION " + USER);
    }
    return database;
  }

  /** The process that listens. */
  private ProcessHandle postmaster() throws IOException {
    String pid = Files.readAllLines(data.resolve("postmaster.pid")).getFirst().strip();
    return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
  }

  int port() {
    return process.getPort();
  }

  /** What the database says about itself. */
  Path log() {
    return log;
  }

  /** The address of the servers' schema, through that port. */
  static String url(int port, int connections) {
    return "postgresql://%s@127.0.0.1:%d/postgres?schema=%s&connections=%d"
        .formatted(USER, port, SCHEMA, connections);
  }

  /** The address of any schema for the database's own user. */
  String adminUrl(String schema) {
    return "postgresql://postgres@127.0.0.1:%d/postgres?schema=%s&connections=4"
        .formatted(port(), schema);
  }

  /** A connection of the database's own user, for whom some are kept free. */
  Connection admin() throws SQLException {
    return connect("postgres");
  }

  /** A connection of the servers' user, past all proxies. */
  Connection direct() throws SQLException {
    return connect(USER);
  }

  /** All that is stored of jobs that should have ended, but for texts. */
  String describe(Collection<JobId> jobs) throws SQLException {
    StringBuilder text = new StringBuilder();
    try (Connection connection = admin();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT now()::text UNION ALL SELECT to_json(s)::text FROM chaos.servers s WHERE"
                    + " alive_until > now() UNION ALL SELECT to_json(j)::text FROM chaos.jobs j"
                    + " WHERE sort_key = ANY (?) UNION ALL SELECT to_json(l)::text FROM"
                    + " chaos.leases l WHERE job = ANY (?) UNION ALL SELECT entry::text FROM"
                    + " chaos.job_log WHERE id = ANY (?)")) {
      String[] ids = jobs.stream().map(JobId::value).toArray(String[]::new);
      String[] keys = jobs.stream().map(SortKeys::of).toArray(String[]::new);
      query.setArray(1, connection.createArrayOf("text", keys));
      query.setArray(2, connection.createArrayOf("text", ids));
      query.setArray(3, connection.createArrayOf("text", ids));
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          text.append('\n').append(rows.getString(1));
        }
      }
    }
    return text.toString();
  }

  private Connection connect(String user) throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/postgres?user=%s&connectTimeout=10"
            .formatted(port(), user));
  }

  /**
   * Restarts it; returns when it accepts connections.
   *
   * @param mode {@code fast}, or {@code immediate} for a crash
   */
  void restart(String mode) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (LinuxUtils.isUnshareAvailable()) { // as it was started: it does not run as root
      command.addAll(List.of("unshare", "-U"));
    }
    command.addAll(
        List.of(
            programs.resolve("pg_ctl").toString(),
            "restart",
            "-w",
            "-t",
            Long.toString(MOST_SECONDS),
            "-D",
            data.toString(),
            "-m",
            mode));
    File output = data.resolveSibling("pg_ctl.log").toFile();
    Process restart =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output))
            .start();
    if (!restart.waitFor(2 * MOST_SECONDS, TimeUnit.SECONDS) || restart.exitValue() != 0) {
      restart.destroyForcibly();
      throw new IOException("pg_ctl failed:\n" + Files.readString(output.toPath()));
    }
  }

  /** Stops it, whichever process it is by now. */
  @Override
  public void close() throws IOException {
    ProcessHandle last = postmaster();
    process.close();
    if (last.isAlive() && !last.destroyForcibly()) {
      throw new IOException("the database still runs: " + last.pid());
    }
  }
}

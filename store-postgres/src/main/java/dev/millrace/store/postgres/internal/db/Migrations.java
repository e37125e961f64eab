package dev.millrace.store.postgres.internal.db;

import dev.millrace.core.store.StoreException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Brings a schema to the version of this program. Each migration is a file; its first line has the
 * oldest version of the program that can still use the schema after it. So a schema may be newer
 * than a server, and two versions run side by side: tables are first expanded, and contracted only
 * by a later version.
 */
public final class Migrations {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private static final List<String> FILES =
      List.of(
          "001-servers.sql",
          "002-jobs.sql",
          "003-contents.sql",
          "004-leaders.sql",
          "005-job-indexes.sql",
          "006-views.sql");

  private static final Pattern MINIMUM =
      Pattern.compile("-- minimum: ([0-9]+)\n.*", Pattern.DOTALL);

  /** Any number that other programs are unlikely to use; the schema's name is its second half. */
  private static final int LOCK = 0x6d696c6c;

  /** The code of a statement that waited for a lock for too long. */
  private static final String LOCKED = "55P03";

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private final Database database;
  private final List<Migration> migrations;
  private final Duration patience;

  /** A migration: its minimum is the oldest version that can use the schema after it. */
  record Migration(int version, int minimum, String statements) {}

  public Migrations(Database database) {
    this(database, FILES.stream().map(Migrations::read).toList(), PATIENCE);
  }

  /**
   * @param patience how long to try while others hold locks
   */
  Migrations(Database database, List<Migration> migrations, Duration patience) {
    this.database = database;
    this.migrations = migrations;
    this.patience = patience;
  }

  private static Migration read(String file) {
    try (InputStream in =
        Migrations.class.getResourceAsStream("/dev/millrace/store/postgres/migrations/" + file)) {
      String text =
          new String(Objects.requireNonNull(in, file).readAllBytes(), StandardCharsets.UTF_8);
      Matcher minimum = MINIMUM.matcher(text);
      if (!minimum.matches()) {
        throw new IllegalStateException(file + " does not start with its minimum version");
      }
      return new Migration(
          Integer.parseInt(file.substring(0, 3)), Integer.parseInt(minimum.group(1)), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The version of this program. */
  public int latest() {
    return migrations.getLast().version();
  }

  /** The version of the schema; 0 if it is not there. */
  public int current() {
    boolean there =
        database.isTrue("SELECT to_regclass(?) IS NOT NULL", database.inSchema("@schema_versions"));
    return there
        ? database
            .first("SELECT coalesce(max(version), 0) FROM @schema_versions", row -> row.getInt(1))
            .orElse(0)
        : 0;
  }

  /**
   * Runs what is missing, on a connection of its own; of several servers that start at once, one
   * does so.
   */
  public void run() {
    long begin = System.nanoTime();
    for (boolean waits = false; current() < latest(); waits = true) {
      try {
        runOnce();
      } catch (SQLException e) {
        StoreException problem = DatabaseErrors.of(database, e);
        if (!LOCKED.equals(e.getSQLState())) {
          throw problem;
        }
        awaitLocks(problem, waits, begin);
      }
    }
    requireUsable();
  }

  private void runOnce() throws SQLException {
    try (Connection connection = database.openSession()) {
      connection.setNetworkTimeout(Runnable::run, 0); // they may take long, or wait for others
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement()) {
        migrate(statement);
      }
      connection.commit(); // else closing takes everything back
    }
  }

  /** Lets those pass who stood in the queue of locks behind this migration. */
  private void awaitLocks(StoreException problem, boolean waits, long begin) {
    if (System.nanoTime() - begin > patience.toNanos()) {
      throw new StoreException(
          "the tables of the schema "
              + database.settings().schema()
              + " cannot be upgraded: for "
              + patience.toSeconds()
              + " s other transactions (a backup, a report) have held locks on them; start this"
              + " server again when they have ended",
          problem,
          problem.trouble());
    }
    if (!waits) {
      LOG.log(
          Level.WARNING,
          "cannot upgrade the tables while other transactions lock them; trying again: "
              + problem.getMessage());
    }
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw problem;
    }
  }

  private static String lock(Database database) {
    int schema = database.settings().schema().hashCode();
    return "SELECT pg_advisory_xact_lock(" + LOCK + ", " + schema + ")";
  }

  /** Holds off others that create or drop tables of the schema, until the transaction ends. */
  static void lock(Database.Statements statements, Database database) throws SQLException {
    statements.list(lock(database), row -> row);
  }

  private void migrate(Statement statement) throws SQLException {
    String schema = database.settings().schema();
    statement.execute(lock(database)); // which another server may hold for as long as it migrates
    // a statement that waits for a lock holds up all that come after it, also the other servers
    statement.execute("SET LOCAL lock_timeout = '2s'");
    // not "IF NOT EXISTS" alone: it needs the right to create, which a role may lack
    if (!exists(statement, schema)) {
      statement.execute("CREATE SCHEMA \"" + schema + "\"");
    }
    statement.execute(
        database.inSchema(
            "CREATE TABLE IF NOT EXISTS @schema_versions (version int PRIMARY KEY,"
                + " minimum int NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"));
    int last = 0;
    try (ResultSet rows =
        statement.executeQuery(
            database.inSchema("SELECT coalesce(max(version), 0) FROM @schema_versions"))) {
      rows.next();
      last = rows.getInt(1);
    }
    for (Migration migration : migrations) {
      if (migration.version() > last) {
        run(statement, migration);
      }
    }
  }

  private void run(Statement statement, Migration migration) throws SQLException {
    statement.execute(database.inSchema(migration.statements()));
    statement.execute(
        database.inSchema("INSERT INTO @schema_versions (version, minimum) VALUES (")
            + migration.version()
            + ", "
            + migration.minimum()
            + ")");
  }

  private static boolean exists(Statement statement, String schema) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery("SELECT FROM pg_namespace WHERE nspname = '" + schema + "'")) {
      return rows.next();
    }
  }

  /** The oldest version of the program that can use the schema; 0 if it is not there. */
  public int minimum() {
    return current() == 0 ? 0 : recordedMinimum();
  }

  private int recordedMinimum() {
    return database
        .first("SELECT coalesce(max(minimum), 0) FROM @schema_versions", row -> row.getInt(1))
        .orElse(0);
  }

  /** Refuses a schema that {@link #run} would create or change, or that it would refuse. */
  public void requireThere() {
    int version = current();
    String schema = database.settings().schema();
    if (version == 0) {
      throw new StoreException(
          "there are no tables in the schema "
              + schema
              + " of "
              + database.settings()
              + "; correct the address (schema=…), or start a server on it, which makes them");
    }
    if (version < latest()) {
      throw new StoreException(
          "the tables of the schema "
              + schema
              + " have version "
              + version
              + ", and this program needs version "
              + latest()
              + "; start a server of this version first, which upgrades them");
    }
    requireUsable();
  }

  /** Refuses a schema that a newer version has contracted. */
  public void requireUsable() {
    int minimum = recordedMinimum();
    if (minimum > latest()) {
      throw new StoreException(
          "the schema "
              + database.settings().schema()
              + " needs at least version "
              + minimum
              + " of the tables, and this program knows version "
              + latest()
              + "; upgrade this server");
    }
  }
}

package dev.millrace.store.postgres.chaos;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.random.StatusCountsCheck;
import dev.millrace.store.postgres.chaos.job.ChaosLog;
import dev.millrace.store.postgres.chaos.job.JobConsistency;
import dev.millrace.store.postgres.chaos.job.JobHistory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Copies all tables as one snapshot sees them, as a backup does, and checks the copy: at every moment
 * all tables fit together.
 */
final class SnapshotScanner {
  private static final String COPY = "copy";

  /** Above every number that the copied tables have. */
  private static final long FREE_NUMBER = 1_000_000_000_000L;

  private final ChaosRun run;
  private final ChaosDatabase database;

  SnapshotScanner(ChaosRun run, ChaosDatabase database) {
    this.run = run;
    this.database = database;
  }

  void step() throws InterruptedException {
    run.linger(6_000);
    if (run.ended()) {
      return;
    }
    try (Connection connection = database.admin()) {
      execute(connection, "DROP SCHEMA IF EXISTS " + COPY + " CASCADE");
      try (StoreClient client =
          new StoreClient(run.history(), "copy", database.adminUrl(COPY), false)) {
        client.migrate();
        copy(connection);
        check(client);
      }
    } catch (SQLException | StoreException e) {
      run.history().note("no snapshot: " + e.getMessage());
      run.history().count("snapshot ended by a fault");
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static List<String> texts(Connection connection, String sql) throws SQLException {
    List<String> texts = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
    }
    return texts;
  }

  /** The tables of the servers' schema, as SQL names them; of a partitioned one only the whole. */
  static List<String> tables(Connection connection) throws SQLException {
    return texts(
        connection,
        "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = '"
            + ChaosDatabase.SCHEMA
            + "'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1");
  }

  /** Locks tables of the servers' schema until the end of the transaction. */
  static void lock(Connection connection, List<String> tables, String mode) throws SQLException {
    String all =
        tables.stream()
            .map(table -> ChaosDatabase.SCHEMA + "." + table)
            .collect(Collectors.joining(", "));
    execute(connection, "LOCK TABLE " + all + " IN " + mode + " MODE");
  }

  private void copy(Connection connection) throws SQLException {
    List<String> tables = tables(connection);
    for (String table : tables) {
      execute(connection, "TRUNCATE " + COPY + "." + table);
    }
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    connection.setAutoCommit(false);
    lock(connection, tables, "ACCESS SHARE"); // before the snapshot: a table may be dropped
    for (String table : tables) {
      execute(
          connection,
          "INSERT INTO %1$s.%3$s OVERRIDING SYSTEM VALUE SELECT * FROM %2$s.%3$s"
              .formatted(COPY, ChaosDatabase.SCHEMA, table));
    }
    connection.commit();
    connection.setAutoCommit(true);
    String identities =
        "SELECT format('ALTER TABLE %s ALTER COLUMN %I RESTART WITH "
            + FREE_NUMBER
            + "', attrelid::regclass, attname) FROM pg_attribute JOIN pg_class c ON c.oid ="
            + " attrelid WHERE relnamespace = '"
            + COPY
            + "'::regnamespace AND relkind = 'r' AND attidentity <> ''";
    for (String restart : texts(connection, identities)) {
      execute(connection, restart);
    }
  }

  private void check(StoreClient client) throws InterruptedException {
    List<String> problems =
        client
            .ask(
                store -> {
                  List<String> found = new ArrayList<>();
                  store.list(JobReader.Query.all()).forEach(id -> check(store, id, found));
                  try {
                    StatusCountsCheck.requireCounted(store);
                  } catch (AssertionError e) {
                    found.add("the counts are wrong: " + e.getMessage());
                  }
                  return found;
                })
            .value();
    problems.forEach(problem -> run.history().problem("in a snapshot: " + problem));
    run.history().count("snapshot checked");
  }

  private void check(JobReader reader, JobId id, List<String> problems) {
    JobView view = reader.find(id).orElseThrow();
    JobHistory job = run.history().job(id);
    JobSpec known = job == null ? null : job.spec();
    if (known == null && view.header().open()) {
      return; // its plan cannot be told from what was added
    }
    JobSpec spec = known == null ? reader.spec(id).orElseThrow() : known;
    problems.addAll(JobConsistency.problems(reader, spec, view, ChaosLog.read(reader, id)));
  }
}

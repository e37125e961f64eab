package dev.millrace.bench.database;

import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;

/**
 * The costs of claims after many completions while an idle transaction holds a snapshot, so that
 * none of the dead rows can be removed, compared with those in tables without any.
 */
public final class HeldSnapshotComparison {
  private final BenchPostgres postgres;
  private final int completions;
  private final int samples;

  public HeldSnapshotComparison(BenchPostgres postgres, int completions, int samples) {
    this.postgres = postgres;
    this.completions = completions;
    this.samples = samples;
  }

  public void run() throws Exception {
    PostgresSettings empty = postgres.newDatabase();
    PostgresSettings held = postgres.newDatabase();
    try {
      fill(empty, 0);
      PostgresDatabase.open(held).close(); // its tables are older than the snapshot
      try (Connection holder = BenchPostgres.connect(held);
          Statement statement = holder.createStatement()) {
        statement.execute("BEGIN ISOLATION LEVEL REPEATABLE READ");
        long pid = number(statement, "SELECT pg_backend_pid()"); // takes the snapshot
        fill(held, completions);
        new ClaimCosts(
                "an empty table",
                String.format(Locale.ROOT, "%,d completions, held snapshot", completions))
            .measure(empty, held, samples)
            .print();
        printAge(held, pid);
      }
    } finally {
      postgres.drop(empty);
      postgres.drop(held);
    }
  }

  private void fill(PostgresSettings database, int completed) throws Exception {
    if (completed > 0) {
      JobHistory.complete(database, completed);
    }
    NoopJobs.submit(database, ClaimCosts.jobs(samples));
    BenchPostgres.settle(database);
  }

  private static void printAge(PostgresSettings database, long holder) throws SQLException {
    try (Connection connection = BenchPostgres.connect(database);
        Statement statement = connection.createStatement()) {
      String age = "SELECT age(backend_xmin) FROM pg_stat_activity WHERE pid = " + holder;
      System.out.printf(
          Locale.ROOT, "the snapshot is %,d transactions old%n", number(statement, age));
    }
  }

  private static long number(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getLong(1);
    }
  }
}

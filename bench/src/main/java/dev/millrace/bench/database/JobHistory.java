package dev.millrace.bench.database;

import dev.millrace.bench.database.QueueDrain.Drained;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.sql.SQLException;
import java.util.Locale;
import java.util.concurrent.ExecutionException;

/** Jobs that have ended before a measurement begins. */
final class JobHistory {
  private static final int SLOTS = 500;

  private JobHistory() {}

  /** Submits jobs and completes them, and prints how fast. */
  static void complete(PostgresSettings settings, int jobs)
      throws SQLException, ExecutionException, InterruptedException {
    double submitted = NoopJobs.submit(settings, jobs);
    BenchPostgres.settle(settings);
    try (PostgresDatabase database = PostgresDatabase.open(settings);
        JobStore store = database.join("bench")) {
      Drained drained = new QueueDrain(store, SLOTS).run();
      if (drained.tasks() != jobs) {
        throw new IllegalStateException("completed " + drained.tasks() + " of " + jobs);
      }
      System.out.printf(
          Locale.ROOT,
          "%,d jobs submitted, %.0f a second, and completed, %.0f a second%n",
          jobs,
          submitted,
          jobs * 1e9 / drained.nanos());
    }
  }
}

package dev.millrace.bench.database;

import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.Locale;

/** The costs of claims where many jobs wait and many have ended, compared with where few wait. */
public final class SizeComparison {
  private final BenchPostgres postgres;
  private final int waiting;
  private final int finished;
  private final int samples;

  public SizeComparison(BenchPostgres postgres, int waiting, int finished, int samples) {
    this.postgres = postgres;
    this.waiting = waiting;
    this.finished = finished;
    this.samples = samples;
  }

  public void run() throws Exception {
    int few = ClaimCosts.jobs(samples);
    PostgresSettings small = postgres.newDatabase();
    PostgresSettings large = postgres.newDatabase();
    try {
      NoopJobs.submit(small, few);
      JobHistory.complete(large, finished);
      System.out.printf(
          Locale.ROOT,
          "%,d jobs submitted, %.0f a second%n",
          waiting,
          NoopJobs.submit(large, Math.max(few, waiting)));
      BenchPostgres.settle(small);
      BenchPostgres.settle(large);
      new ClaimCosts(
              String.format(Locale.ROOT, "%,d waiting", few),
              String.format(Locale.ROOT, "%,d waiting, %,d finished", waiting, finished))
          .measure(small, large, samples)
          .print();
    } finally {
      postgres.drop(small);
      postgres.drop(large);
    }
  }
}

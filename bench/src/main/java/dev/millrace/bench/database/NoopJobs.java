package dev.millrace.bench.database;

import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobStore;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/** Jobs of one task for which a worker has nothing to do. */
public final class NoopJobs {
  static final String TYPE = "noop";
  static final Set<String> TYPES = Set.of(TYPE);

  /** So many share a sync. */
  private static final int SUBMITTERS = 256;

  private NoopJobs() {}

  /**
   * Submits them as clients do, many at a time.
   *
   * @return how many a second
   */
  static double submit(PostgresSettings settings, int count)
      throws ExecutionException, InterruptedException {
    try (PostgresDatabase database = PostgresDatabase.open(settings);
        JobStore store = database.visit("bench")) {
      long start = System.nanoTime();
      submit(store, count);
      return count * 1e9 / (System.nanoTime() - start);
    }
  }

  private static void submit(JobStore store, int count)
      throws ExecutionException, InterruptedException {
    JobSpec spec = JobSpec.prompt(TYPE, "p");
    AtomicInteger left = new AtomicInteger(count);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> submitters = new ArrayList<>();
      for (int i = 0; i < Math.min(SUBMITTERS, count); i++) {
        submitters.add(
            threads.submit(
                () -> {
                  while (left.decrementAndGet() >= 0) {
                    store.submit(spec);
                  }
                }));
      }
      for (Future<?> submitter : submitters) {
        submitter.get();
      }
    }
  }

  /** Fails unless exactly so many are there, and all are completed. */
  static void requireCompleted(PostgresSettings settings, int count) {
    try (PostgresDatabase database = PostgresDatabase.open(settings)) {
      Map<JobState, Integer> counts = database.reader().counts();
      int completed = counts.getOrDefault(JobState.COMPLETED, 0);
      int all = counts.values().stream().mapToInt(Integer::intValue).sum();
      if (completed != count || all != count) {
        throw new IllegalStateException("of " + count + " jobs, the store has " + counts);
      }
    }
  }
}

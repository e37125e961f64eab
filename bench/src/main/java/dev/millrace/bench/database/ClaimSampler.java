package dev.millrace.bench.database;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.postgres.PostgresDatabase;
import dev.millrace.store.postgres.settings.PostgresSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** A server of a database that claims a batch and completes it, whenever it is told to. */
final class ClaimSampler implements AutoCloseable {
  static final int BATCH = 100;

  /** What a batch has taken. */
  record Cost(double claimMillis, double completeMillis) {
    double millis() {
      return claimMillis + completeMillis;
    }
  }

  private final PostgresDatabase database;
  private final JobStore store;
  private final ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor();

  ClaimSampler(PostgresSettings settings) {
    this.database = PostgresDatabase.open(settings);
    this.store = database.join("bench");
  }

  Cost sample() throws ExecutionException, InterruptedException {
    long start = System.nanoTime();
    List<Claim> claims = new ArrayList<>();
    while (claims.size() < BATCH) {
      List<Claim> more =
          store.claim(new ClaimRequest(NoopJobs.TYPES, BATCH - claims.size(), "bench", null));
      if (more.isEmpty()) {
        throw new IllegalStateException("too few jobs: only " + claims.size() + " were left");
      }
      claims.addAll(more);
    }
    long claimed = System.nanoTime();
    List<Future<Outcome>> answers = new ArrayList<>();
    for (Claim claim : claims) {
      answers.add(workers.submit(() -> store.complete(claim, TaskResult.of("r"))));
    }
    for (Future<Outcome> answer : answers) {
      if (!answer.get().isDone()) {
        throw new IllegalStateException("a completion was refused: " + answer.get());
      }
    }
    return new Cost((claimed - start) / 1e6, (System.nanoTime() - claimed) / 1e6);
  }

  @Override
  public void close() {
    workers.close();
    store.close();
    database.close();
  }
}

package dev.millrace.bench.http;

import dev.millrace.bench.http.BenchClient.HeldTask;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs workers that claim and complete tasks one by one until none is left, and checks them. */
public final class WorkerRound {
  private static final int WAIT_SECONDS = 1;

  /** After so many empty waits in a row, a task is considered lost. */
  private static final int MOST_WAITS = 60;

  private final PreparedJobs.Tasks tasks;
  private final Map<String, String> tokens = new ConcurrentHashMap<>();
  private final Queue<String> twice = new ConcurrentLinkedQueue<>();
  private final AtomicInteger claims = new AtomicInteger();
  private final AtomicInteger completions = new AtomicInteger();
  private volatile long end;

  public WorkerRound(PreparedJobs.Tasks tasks) {
    this.tasks = tasks;
  }

  /** Tasks per second, from the start to the last completion. */
  public double work(ClientPool workers) throws IOException, InterruptedException {
    long start = System.nanoTime();
    workers.each(this::work);
    return tasks.count() * 1e9 / (end - start);
  }

  private void work(BenchClient worker) throws IOException {
    int waits = 0;
    while (claims.get() < tasks.count()) {
      Optional<HeldTask> held = worker.dequeue(tasks.type(), WAIT_SECONDS);
      waits = held.isPresent() ? 0 : waits + 1;
      if (waits == MOST_WAITS) {
        throw new IOException(
            "no task received; " + claims + " of " + tasks.count() + " were claimed");
      }
      if (held.isPresent()) {
        done(worker, held.get());
      }
    }
  }

  private void done(BenchClient worker, HeldTask held) throws IOException {
    claims.incrementAndGet();
    String before = tokens.putIfAbsent(held.task(), held.token());
    if (before != null) {
      twice.add(held.task() + " under " + before + " and " + held.token());
    }
    worker.complete(held);
    if (completions.incrementAndGet() == tasks.count()) {
      end = System.nanoTime();
    }
  }

  /** Tasks that were claimed more than once. */
  public List<String> claimedTwice() {
    return List.copyOf(twice);
  }

  public int claims() {
    return claims.get();
  }

  public int completions() {
    return completions.get();
  }
}

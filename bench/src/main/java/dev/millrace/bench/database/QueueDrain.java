package dev.millrace.bench.database;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Claims and completes until no task is left, as a server's pool does: one thread claims as many
 * tasks as slots are free, and each claimed task is completed on a thread of its own.
 */
final class QueueDrain {
  private static final Duration LOOK_AGAIN = Duration.ofMillis(20);

  /**
   * What one server has done.
   *
   * @param nanos until the last of them was acknowledged
   */
  record Drained(int tasks, long nanos) {}

  private final JobStore store;
  private final int slots;
  private final Semaphore free;
  private final AtomicInteger completed = new AtomicInteger();
  private final AtomicLong last = new AtomicLong();
  private final AtomicReference<RuntimeException> error = new AtomicReference<>();

  QueueDrain(JobStore store, int slots) {
    this.store = store;
    this.slots = slots;
    this.free = new Semaphore(slots);
  }

  Drained run() throws InterruptedException {
    long start = System.nanoTime();
    last.set(start);
    long seen = 0;
    try (ExecutorService workers = Executors.newVirtualThreadPerTaskExecutor()) {
      while (error.get() == null) {
        int limit = takeFree();
        List<Claim> claims = store.claim(new ClaimRequest(NoopJobs.TYPES, limit, "bench", null));
        free.release(limit - claims.size());
        claims.forEach(claim -> workers.execute(() -> complete(claim)));
        if (claims.isEmpty()) {
          if (free.availablePermits() == slots && store.isIdle(NoopJobs.TYPES)) {
            break;
          }
          seen = store.awaitWork(seen, LOOK_AGAIN);
        }
      }
    }
    if (error.get() != null) {
      throw error.get();
    }
    return new Drained(completed.get(), last.get() - start);
  }

  private int takeFree() throws InterruptedException {
    free.acquire();
    return 1 + free.drainPermits();
  }

  private void complete(Claim claim) {
    try {
      Outcome outcome = store.complete(claim, TaskResult.of("r"));
      if (!outcome.isDone()) {
        throw new IllegalStateException(claim + ": " + outcome);
      }
      completed.incrementAndGet();
      last.accumulateAndGet(System.nanoTime(), Math::max);
    } catch (RuntimeException e) {
      error.compareAndSet(null, e);
    } finally {
      free.release();
    }
  }
}

package dev.millrace.bench.database;

import dev.millrace.bench.database.QueueDrain.Drained;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.WorkListener;
import dev.millrace.server.Server;
import dev.millrace.server.Worker;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Drains a queue with the pool of a real server and a worker that does nothing. */
final class PoolDrain implements WorkListener {
  private final JobStore store;
  private final int slots;
  private final AtomicInteger completed = new AtomicInteger();
  private final AtomicLong last = new AtomicLong();

  PoolDrain(JobStore store, int slots) {
    this.store = store;
    this.slots = slots;
  }

  Drained run() throws InterruptedException {
    try (Subscription _ = store.onWork(this);
        Server server =
            Server.builder(store)
                .slots(slots)
                .worker(Worker.of(NoopJobs.TYPE, task -> "r"))
                .build()) {
      long start = System.nanoTime();
      last.set(start);
      server.start();
      server.drain();
      return new Drained(completed.get(), last.get() - start);
    }
  }

  @Override
  public void answered(Claim claim, Answer answer, Outcome outcome) {
    if (answer == Answer.COMPLETED && outcome.isDone()) {
      completed.incrementAndGet();
      last.accumulateAndGet(System.nanoTime(), Math::max);
    }
  }
}

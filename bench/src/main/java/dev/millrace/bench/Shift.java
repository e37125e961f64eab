package dev.millrace.bench;

import dev.millrace.bench.Caller.Held;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Workers who claim and complete tasks one by one until none is left, and what they did. */
final class Shift {
  private static final int WAIT_SECONDS = 1;

  /** So many waits in a row for nothing mean that a task is lost. */
  private static final int MOST_WAITS = 60;

  private final Supply.Tasks tasks;
  private final Map<String, String> tokens = new ConcurrentHashMap<>();
  private final Queue<String> twice = new ConcurrentLinkedQueue<>();
  private final AtomicInteger claims = new AtomicInteger();
  private final AtomicInteger completions = new AtomicInteger();
  private volatile long end;

  Shift(Supply.Tasks tasks) {
    this.tasks = tasks;
  }

  /** Tasks a second, from the start to the last one completed. */
  double work(Crowd workers) throws IOException, InterruptedException {
    long start = System.nanoTime();
    workers.each(this::work);
    return tasks.count() * 1e9 / (end - start);
  }

  private void work(Caller worker) throws IOException {
    int waits = 0;
    while (claims.get() < tasks.count()) {
      Optional<Held> held = worker.dequeue(tasks.type(), WAIT_SECONDS);
      waits = held.isPresent() ? 0 : waits + 1;
      if (waits == MOST_WAITS) {
        throw new IOException("no task came; " + claims + " of " + tasks.count() + " were claimed");
      }
      if (held.isPresent()) {
        done(worker, held.get());
      }
    }
  }

  private void done(Caller worker, Held held) throws IOException {
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

  /** Tasks that were handed out more than once. */
  List<String> twice() {
    return List.copyOf(twice);
  }

  int claims() {
    return claims.get();
  }

  int completions() {
    return completions.get();
  }
}

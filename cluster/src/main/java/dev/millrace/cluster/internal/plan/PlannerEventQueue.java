package dev.millrace.cluster.internal.plan;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The events that wait for the planner. It is bounded whatever nodes send: only the latest states
 * and lost links are kept, and of all else a limited number per node. Timeouts find what was
 * dropped. Any thread.
 */
public final class PlannerEventQueue {
  /** Unread events that one node may cause. */
  static final int MAX_PER_NODE = 64;

  private record Entry(String from, PlannerEvent event) {}

  private final Queue<Entry> waiting = new ArrayDeque<>(); // guarded by this

  /**
   * @param from the node that caused it; empty: none
   */
  public synchronized void put(String from, PlannerEvent event) {
    switch (event) {
      case PlannerEvent.States states ->
          waiting.removeIf(e -> e.event() instanceof PlannerEvent.States);
      case PlannerEvent.Lost lost ->
          waiting.removeIf(
              e ->
                  e.event() instanceof PlannerEvent.Lost other && other.node().equals(lost.node()));
      case PlannerEvent.WrongResult wrongResult -> {} // from the auditor
      default -> {
        if (count(e -> e.from().equals(from)) >= MAX_PER_NODE) {
          return;
        }
      }
    }
    waiting.add(new Entry(from, event));
    notifyAll();
  }

  private long count(Predicate<Entry> which) {
    return waiting.stream().filter(which).count();
  }

  /** The next event; null after so long. */
  public synchronized @Nullable PlannerEvent take(long millis) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (waiting.isEmpty()) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        return null;
      }
      wait(left);
    }
    return next();
  }

  /** The next event; null if there is none. */
  public synchronized @Nullable PlannerEvent next() {
    Entry entry = waiting.poll();
    return entry == null ? null : entry.event();
  }
}

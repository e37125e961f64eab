package dev.millrace.cluster.internal.plan;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What waits for the planner, bounded whatever others send: of states and of a lost link only the
 * latest, of all else so much from each node. What is dropped is found by timeouts. For any thread.
 */
public final class PlannerEventQueue {
  /** Unread ones that a node may have caused. */
  static final int MOST = 64;

  private record Entry(String from, PlannerEvent event) {}

  private final Queue<Entry> waiting = new ArrayDeque<>(); // guarded by this

  /**
   * @param from the node by which it came to be
   */
  public synchronized void put(String from, PlannerEvent event) {
    switch (event) {
      case PlannerEvent.States states ->
          waiting.removeIf(e -> e.event() instanceof PlannerEvent.States);
      case PlannerEvent.Lost lost ->
          waiting.removeIf(
              e ->
                  e.event() instanceof PlannerEvent.Lost other && other.node().equals(lost.node()));
      case PlannerEvent.Lied lied -> {} // ours
      default -> {
        if (count(e -> e.from().equals(from)) >= MOST) {
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

  /** The next, or null where there is none after so long. */
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

  /** The next, or null where there is none. */
  public synchronized @Nullable PlannerEvent next() {
    Entry entry = waiting.poll();
    return entry == null ? null : entry.event();
  }
}

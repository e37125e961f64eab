package dev.millrace.cluster.origin;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What waits for the planner, bounded whatever others send: of states and of a lost link only the
 * latest, of all else so much from each node. What is dropped is found by timeouts. For any thread.
 */
final class Events {
  /** Unread ones that a node may have caused. */
  static final int MOST = 64;

  private record Entry(String from, Event event) {}

  private final Queue<Entry> waiting = new ArrayDeque<>(); // guarded by this

  /**
   * @param from the node by which it came to be
   */
  synchronized void put(String from, Event event) {
    switch (event) {
      case Event.States states -> waiting.removeIf(e -> e.event() instanceof Event.States);
      case Event.Lost lost ->
          waiting.removeIf(
              e -> e.event() instanceof Event.Lost other && other.node().equals(lost.node()));
      case Event.Lied lied -> {} // ours
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
  synchronized @Nullable Event take(long millis) throws InterruptedException {
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
  synchronized @Nullable Event next() {
    Entry entry = waiting.poll();
    return entry == null ? null : entry.event();
  }
}

package dev.millrace.server.internal.compile;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.Executor;

/**
 * Runs work of several callers in turns: each has at most a few at a time with the executor, and
 * what else it has waits here. So a caller with a thousand of them delays another one by a few only.
 * Thread-safe.
 */
final class CallerTurns {
  private final Executor executor;
  private final int perCaller;
  private final Map<String, Lane> lanes = new HashMap<>(); // guarded by itself

  private static final class Lane {
    final Queue<Runnable> waiting = new ArrayDeque<>();
    int given; // how many turns the executor has
    int begun; // how many of these run
  }

  /**
   * @param perCaller how much work of one caller the executor has at a time
   */
  CallerTurns(Executor executor, int perCaller) {
    this.executor = executor;
    this.perCaller = perCaller;
  }

  void execute(String caller, Runnable work) {
    synchronized (lanes) {
      Lane lane = lanes.computeIfAbsent(caller, _ -> new Lane());
      lane.waiting.add(work);
      if (lane.given == perCaller) {
        return;
      }
      lane.given++;
    }
    executor.execute(() -> turn(caller));
  }

  /** Runs the first of a caller's work. The next goes behind what the executor has from others. */
  private void turn(String caller) {
    Runnable work;
    synchronized (lanes) {
      Lane lane = lane(caller);
      lane.begun++;
      work = lane.waiting.remove();
    }
    try {
      work.run();
    } finally {
      if (hasMore(caller)) {
        executor.execute(() -> turn(caller));
      }
    }
  }

  private Lane lane(String caller) {
    return Objects.requireNonNull(lanes.get(caller), caller); // it is kept while it has turns
  }

  /** Whether another turn is given; if not, a caller without any is forgotten. */
  private boolean hasMore(String caller) {
    synchronized (lanes) {
      Lane lane = lane(caller);
      lane.begun--;
      int toBegin = lane.given - 1 - lane.begun;
      if (lane.waiting.size() > toBegin) {
        return true;
      }
      lane.given--;
      if (lane.given == 0) {
        lanes.remove(caller);
      }
      return false;
    }
  }
}

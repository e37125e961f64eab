package dev.millrace.http.live;

import dev.millrace.api.live.LiveState;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.json.Json;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The live state for all who watch: computed and written once, on a thread that runs only while
 * somebody watches. Thread-safe.
 */
final class LiveFeed implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final Supplier<LiveState> source;
  private final long interval;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition published = lock.newCondition();
  private final Condition left = lock.newCondition();
  private @Nullable Snapshot latest; // guarded by the lock, as are those below
  private long number;
  private int watchers;
  private boolean running;
  private boolean closed;
  private boolean failing; // of the thread

  /** The state at one moment, as the event that is sent. */
  record Snapshot(long number, LiveState state, byte[] event) {}

  /** One who watches; closing it ends that. */
  interface Watcher extends AutoCloseable {
    @Override
    void close();
  }

  /**
   * @param source computes the state; called by one thread at a time
   * @param interval the shortest time between two states
   */
  LiveFeed(Supplier<LiveState> source, Duration interval) {
    this.source = source;
    this.interval = interval.toNanos();
  }

  /** Begins to watch. Close what this returns. */
  Watcher watch() {
    lock.lock();
    try {
      watchers++;
      if (!running && !closed) {
        running = true;
        MonitoredThreads.virtualWork().name("millrace-live").start(this::run);
      }
    } finally {
      lock.unlock();
    }
    return this::leave;
  }

  private void leave() {
    lock.lock();
    try {
      watchers--;
      left.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a state after that number; null if none comes in time. */
  @Nullable Snapshot awaitAfter(long seen, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long wait = atMost.toNanos();
      while ((latest == null || latest.number() <= seen) && wait > 0 && !closed) {
        wait = published.awaitNanos(wait);
      }
      return latest == null || latest.number() <= seen ? null : latest;
    } finally {
      lock.unlock();
    }
  }

  /** Whether no state comes any more. */
  boolean isClosed() {
    lock.lock();
    try {
      return closed;
    } finally {
      lock.unlock();
    }
  }

  /** Whether its thread runs. */
  boolean isRunning() {
    lock.lock();
    try {
      return running;
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    boolean more = true;
    while (more) {
      long start = System.nanoTime();
      publish(compute());
      more = rest(start);
    }
  }

  private @Nullable LiveState compute() {
    try {
      LiveState state = source.get();
      failing = false;
      return state;
    } catch (RuntimeException | Error e) { // those who watch need this thread
      LOG.log(failing ? Level.DEBUG : Level.WARNING, "the live state is not known now", e);
      failing = true;
      return null;
    }
  }

  private void publish(@Nullable LiveState state) {
    Snapshot before = latest; // only this thread writes it while it runs
    if (state == null || before != null && state.isSameAs(before.state())) {
      return;
    }
    byte[] event =
        ("event: live\ndata: " + Json.write(state.toJson()) + "\n\n")
            .getBytes(StandardCharsets.UTF_8);
    lock.lock();
    try {
      latest = new Snapshot(++number, state, event);
      published.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the next state is due; false if nobody watches any more. */
  private boolean rest(long start) {
    lock.lock();
    try {
      long wait = interval - (System.nanoTime() - start);
      while (watchers > 0 && !closed && wait > 0) {
        wait = left.awaitNanos(wait);
      }
      running = watchers > 0 && !closed;
      latest = running ? latest : null; // the next to watch must not get an old one
      return running;
    } catch (InterruptedException e) {
      running = false; // never interrupted
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Ends the thread, and all waits. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      left.signalAll();
      published.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

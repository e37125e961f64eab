package dev.millrace.server.internal;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Repeats an action on its own thread until closed, with a pause in between that {@link #trigger}
 * cuts short.
 */
public final class PeriodicThread implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final String name;
  private final Duration pause;
  private final Runnable action;
  private final Consumer<StoreBrokenException> broken;
  private final Semaphore triggers = new Semaphore(0);
  private volatile boolean stopped;
  private boolean failing; // used by the thread only

  private PeriodicThread(
      String name, Duration pause, Runnable action, Consumer<StoreBrokenException> broken) {
    this.name = name;
    this.pause = pause;
    this.action = action;
    this.broken = broken;
  }

  /**
   * @param broken called when the store is broken; the thread then ends
   */
  public static PeriodicThread start(
      String name, Duration pause, Runnable action, Consumer<StoreBrokenException> broken) {
    PeriodicThread thread = new PeriodicThread(name, pause, action, broken);
    MonitoredThreads.service(name).start(thread::run);
    return thread;
  }

  private void run() {
    try {
      while (!stopped) {
        if (triggers.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          triggers.drainPermits();
        }
        if (!stopped) {
          runOnce();
        }
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt: " + name + " ends");
    } catch (StoreBrokenException e) {
      broken.accept(e);
    }
  }

  private void runOnce() {
    try {
      action.run();
      failing = false;
    } catch (StoreBrokenException e) {
      throw e;
    } catch (StoreException.Closed e) {
      stopped = true; // nothing is left to do
    } catch (Throwable e) { // an Error, too: the thread must go on
      if (!failing) {
        Throwable trace = e instanceof StoreException ? null : e;
        boolean reportedByStore = e instanceof StoreException known && known.trouble() != null;
        Level level = reportedByStore ? Level.DEBUG : Level.WARNING;
        LOG.log(level, name + " failed and will retry: " + e.getMessage(), trace);
      }
      failing = true;
    }
  }

  /** Runs the action now, or again after the current run. Never waits. */
  public void trigger() {
    triggers.release();
  }

  /** Ends the thread. Does not wait for the current run. */
  @Override
  public void close() {
    stopped = true;
    triggers.release();
  }
}

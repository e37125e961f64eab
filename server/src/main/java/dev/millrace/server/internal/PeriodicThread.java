package dev.millrace.server.internal;

import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Does something again and again on a thread of its own, with a pause between that a nudge cuts
 * short, until closed.
 */
public final class PeriodicThread implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final String name;
  private final Duration pause;
  private final Runnable action;
  private final Consumer<StoreBrokenException> broken;
  private final Semaphore nudges = new Semaphore(0);
  private volatile boolean stopped;
  private boolean failing; // of the ticker's thread

  private PeriodicThread(
      String name, Duration pause, Runnable action, Consumer<StoreBrokenException> broken) {
    this.name = name;
    this.pause = pause;
    this.action = action;
    this.broken = broken;
  }

  /**
   * @param broken is told when the store is; the ticker then ends
   */
  public static PeriodicThread start(
      String name, Duration pause, Runnable action, Consumer<StoreBrokenException> broken) {
    PeriodicThread ticker = new PeriodicThread(name, pause, action, broken);
    Thread.ofPlatform().name(name).daemon().start(ticker::run);
    return ticker;
  }

  private void run() {
    try {
      while (!stopped) {
        if (nudges.tryAcquire(pause.toNanos(), TimeUnit.NANOSECONDS)) {
          nudges.drainPermits();
        }
        if (!stopped) {
          tick();
        }
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, name + " was interrupted by a stranger and ends");
    } catch (StoreBrokenException e) {
      broken.accept(e);
    }
  }

  private void tick() {
    try {
      action.run();
      failing = false;
    } catch (StoreBrokenException e) {
      throw e;
    } catch (Throwable e) { // an Error too: nobody else would tick
      if (!failing) {
        Throwable trace = e instanceof StoreException ? null : e;
        LOG.log(Level.WARNING, name + " fails and goes on trying: " + e.getMessage(), trace);
      }
      failing = true;
    }
  }

  /** Does it now, or as soon as what is under way has ended. Never waits. */
  public void trigger() {
    nudges.release();
  }

  /** The tick that is under way, if any, is not waited for. */
  @Override
  public void close() {
    stopped = true;
    nudges.release();
  }
}

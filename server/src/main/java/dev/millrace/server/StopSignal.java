package dev.millrace.server;

import dev.millrace.core.store.Subscription;
import dev.millrace.server.internal.InterruptZone;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * Tells a running task to stop: the one way in which a pause, a time limit, an abort, a lost claim
 * and a stopping server reach it. A reason is first visible here, then runs the hooks, and then,
 * unless it is a pause, interrupts the worker. Thread-safe.
 */
public final class StopSignal {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** Why a task should stop; a later reason overrides an earlier one. */
  public enum Reason {
    /** A user paused the job: a task that cannot be resumed later runs on. */
    PAUSED,
    /** The time limit of the attempt is reached. */
    TIMED_OUT,
    /** The job has ended. */
    CANCELLED,
    /** Another worker has the task now. */
    LOST,
    /** The server stops. */
    SHUTDOWN
  }

  private record Hook(boolean onPause, boolean onStop, Runnable action) {}

  private final String task;
  private final InterruptZone zone = new InterruptZone();
  private final List<Hook> hooks = new ArrayList<>(); // guarded by this
  private volatile @Nullable Reason stop; // never PAUSED; written under this
  private volatile boolean paused; // written under this
  private volatile boolean pausedBefore; // written under this

  /**
   * @param task its name in log lines
   */
  StopSignal(String task) {
    this.task = task;
  }

  /** The strongest reason to stop now; null if there is none. */
  public @Nullable Reason reason() {
    Reason now = stop;
    return now == null && paused ? Reason.PAUSED : now;
  }

  /** Whether the task must stop, for any reason but a pause. */
  public boolean mustStop() {
    return stop != null;
  }

  /** Whether the job is paused now. */
  public boolean isPaused() {
    return paused;
  }

  /** Whether the job was paused since the task was claimed, even if it was resumed since. */
  public boolean wasPaused() {
    return pausedBefore;
  }

  /**
   * Calls {@code hook} once when the job is paused, at once if it is.
   *
   * @return closing it withdraws the hook
   */
  public Subscription onPause(Runnable hook) {
    return add(new Hook(true, false, hook));
  }

  /** As {@link #onPause}, when the task must stop. */
  public Subscription onStop(Runnable hook) {
    return add(new Hook(false, true, hook));
  }

  /** As {@link #onPause}, when the job is paused or the task must stop, whichever is first. */
  public Subscription onAny(Runnable hook) {
    return add(new Hook(true, true, hook));
  }

  private Subscription add(Hook hook) {
    synchronized (this) {
      boolean given = hook.onPause && paused || hook.onStop && stop != null;
      if (!given) {
        hooks.add(hook);
        return () -> withdraw(hook);
      }
    }
    call(hook.action);
    return () -> {};
  }

  private synchronized void withdraw(Hook hook) {
    hooks.remove(hook);
  }

  /**
   * Gives a reason to stop.
   *
   * @return false if the task must stop already for a reason that is at least as strong
   */
  boolean raise(Reason reason) {
    boolean pause = reason == Reason.PAUSED;
    List<Hook> toRun;
    synchronized (this) {
      if (pause) {
        paused = true;
        pausedBefore = true;
      } else if (stop != null && stop.compareTo(reason) >= 0) {
        return false;
      } else {
        stop = reason;
      }
      toRun = hooks.stream().filter(hook -> pause ? hook.onPause : hook.onStop).toList();
      hooks.removeAll(toRun);
    }
    toRun.forEach(hook -> call(hook.action));
    if (!pause) {
      zone.interrupt();
    }
    return true;
  }

  /** The job is not paused, or no longer. */
  synchronized void endPause() {
    paused = false;
  }

  private void call(Runnable hook) {
    try {
      hook.run();
    } catch (Throwable e) { // an Error too: this thread is the server's
      LOG.log(Level.WARNING, task + ": a hook of the worker failed", e);
    }
  }

  /** Runs the worker: the only code in which its thread may be interrupted. */
  <T> T runInterruptibly(Callable<T> worker) throws Exception {
    zone.enter();
    try {
      return worker.call();
    } finally {
      zone.leave();
    }
  }

  /** Runs a part of the worker's code that must not be interrupted, such as a call of the store. */
  void shield(Runnable action) {
    zone.shield(action);
  }
}

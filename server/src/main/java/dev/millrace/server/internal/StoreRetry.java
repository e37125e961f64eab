package dev.millrace.server.internal;

import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.ProcessClock;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Retries calls of a store that fails for a while: a full disk, a database that restarts. Delays
 * grow until a call succeeds or all callers are told to stop. The start and the end of a failure
 * are logged once. Thread-safe.
 */
public final class StoreRetry {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration FIRST_WAIT = Duration.ofMillis(100);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  /** How often a call may throw an Error and be repeated. */
  private static final int MAX_ERRORS = 3;

  private final ProcessClock clock;
  private final Set<Object> failingCallers = new HashSet<>(); // guarded by this
  private long since; // monotonic; guarded by this
  private boolean reportedByStore; // guarded by this: it logs the begin and the end itself
  private boolean stopped; // guarded by this

  public StoreRetry(ProcessClock clock) {
    this.clock = clock;
  }

  /**
   * The result of {@code call}, however long it takes; empty if retrying was stopped.
   *
   * @throws StoreBrokenException if the store is broken
   * @throws JobException if only this job is affected
   */
  public <T> Optional<T> callWithRetry(Supplier<T> call) {
    return callWithRetry(call, () -> true);
  }

  /**
   * As {@link #callWithRetry(Supplier)}, but only while {@code worth} is true, which is checked
   * after each failure.
   */
  public <T> Optional<T> callWithRetry(Supplier<T> call, BooleanSupplier worth) {
    Object caller = new Object();
    try {
      for (int tries = 0; ; tries++) {
        try {
          return Optional.of(call.get());
        } catch (StoreBrokenException e) {
          throw e; // a retry would not help
        } catch (StoreException.Closed e) {
          return Optional.empty(); // the next owner recovers the task
        } catch (RuntimeException | Error e) {
          if (e instanceof JobException job
              && (tries >= MAX_ERRORS || !(e instanceof JobException.Unreadable))) {
            throw job;
          }
          if (e instanceof Error && tries >= MAX_ERRORS) {
            // It may lie in what is to be stored: then it would fail for ever, and stop all others.
            throw new JobException("the store failed " + (tries + 1) + " times: " + e, e);
          }
          failureBegan(caller, e);
          if (!worth.getAsBoolean() || !awaitNextTry(tries)) {
            return Optional.empty();
          }
        }
      }
    } finally {
      failureEnded(caller);
    }
  }

  public synchronized void failureBegan(Object caller, Throwable problem) {
    if (failingCallers.isEmpty()) {
      since = clock.nanoTime();
      // The message of a store says what is wrong; for anything else, log where it happened.
      Throwable trace = problem instanceof StoreException ? null : problem;
      reportedByStore = problem instanceof StoreException known && known.trouble() != null;
      LOG.log(
          reportedByStore ? Level.DEBUG : Level.WARNING,
          "the store fails ("
              + problem.getMessage()
              + "): outcomes are kept in memory and retried, and no task is claimed",
          trace);
    }
    failingCallers.add(caller);
  }

  public synchronized void failureEnded(Object caller) {
    if (failingCallers.remove(caller)) {
      if (failingCallers.isEmpty() && !stopped) {
        Duration lasted = Duration.ofNanos(clock.nanoTime() - since);
        LOG.log(
            reportedByStore ? Level.DEBUG : Level.INFO, "the store works again after " + lasted);
      }
      notifyAll(); // the others retry at once
    }
  }

  /** Whether the calls of others fail, too. */
  public synchronized boolean isFailingForOthers(Object caller) {
    return failingCallers.size() > (failingCallers.contains(caller) ? 1 : 0);
  }

  /** The delay after so many failures in a row, counted from 0. */
  public static Duration retryDelay(int failures) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures, 10));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  /**
   * False if there is no further try. A caller that waits while retrying is stopped tries once
   * more.
   */
  private synchronized boolean awaitNextTry(int failures) {
    if (stopped) {
      return false;
    }
    try {
      wait(retryDelay(failures).toMillis());
      return true;
    } catch (InterruptedException e) {
      return false; // no code of ours interrupts here
    }
  }

  /** Makes all waiting callers check whether the retry is still worth it. */
  public synchronized void wake() {
    notifyAll();
  }

  /** From now on, no call is retried. */
  public synchronized void stopRetrying() {
    stopped = true;
    notifyAll();
  }
}

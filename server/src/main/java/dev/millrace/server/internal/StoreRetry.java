package dev.millrace.server.internal;

import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls a store that may fail for a while: a full disk, a database that restarts. What cannot be
 * stored is tried again with growing waits until it works or everybody is told to give up; the log
 * says once that it began and once that it is over. Thread-safe.
 */
public final class StoreRetry {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration FIRST_WAIT = Duration.ofMillis(100);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final InstantSource clock;
  private final Set<Object> failingCallers = new HashSet<>(); // guarded by this
  private @Nullable Instant since; // guarded by this
  private boolean givenUp; // guarded by this

  public StoreRetry(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * The answer of {@code call}, however long it takes; empty if given up.
   *
   * @throws StoreBrokenException if the store is
   * @throws JobException if it is about this job alone
   */
  public <T> Optional<T> callWithRetry(Supplier<T> call) {
    return callWithRetry(call, () -> true);
  }

  /**
   * As {@link #callWithRetry(Supplier)}, but only while it is {@code worth} it; looked at after a wait.
   */
  public <T> Optional<T> callWithRetry(Supplier<T> call, BooleanSupplier worth) {
    Object me = new Object();
    try {
      for (int tries = 0; ; tries++) {
        try {
          return Optional.of(call.get());
        } catch (StoreBrokenException | JobException e) {
          throw e; // there is nothing to wait for
        } catch (RuntimeException e) {
          failureBegan(me, e);
          if (!worth.getAsBoolean() || !awaitNextTry(tries)) {
            return Optional.empty();
          }
        }
      }
    } finally {
      failureEnded(me);
    }
  }

  public synchronized void failureBegan(Object sufferer, RuntimeException problem) {
    if (failingCallers.isEmpty()) {
      since = clock.instant();
      // A store says in its message what is wrong; of anything else we want to know where it was.
      Throwable trace = problem instanceof StoreException ? null : problem;
      LOG.log(
          Level.WARNING,
          "the store fails ("
              + problem.getMessage()
              + "): outcomes are kept in memory and tried again, nothing new is claimed",
          trace);
    }
    failingCallers.add(sufferer);
  }

  public synchronized void failureEnded(Object sufferer) {
    if (failingCallers.remove(sufferer)) {
      if (failingCallers.isEmpty() && since != null && !givenUp) {
        Duration lasted = Duration.between(since, clock.instant());
        LOG.log(Level.INFO, "the store works again, after " + lasted);
      }
      notifyAll(); // what worked for one may work for all
    }
  }

  /** Whether anybody else waits for the store to work again. */
  public synchronized boolean isFailingForOthers(Object sufferer) {
    return failingCallers.size() > (failingCallers.contains(sufferer) ? 1 : 0);
  }

  /** How long to wait after that many failures in a row, from 0. */
  public static Duration retryDelay(int failures) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures, 10));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  /** False if it was the last try: whoever waits when everybody gives up tries once more. */
  private synchronized boolean awaitNextTry(int failures) {
    if (givenUp) {
      return false;
    }
    try {
      wait(retryDelay(failures).toMillis());
      return true;
    } catch (InterruptedException e) {
      return false; // nobody of ours interrupts here; a stranger who does means it
    }
  }

  /** Lets everybody who waits look again whether it is still worth it. */
  public synchronized void wake() {
    notifyAll();
  }

  /** From now on nothing is tried more than once. */
  public synchronized void stopRetrying() {
    givenUp = true;
    notifyAll();
  }
}

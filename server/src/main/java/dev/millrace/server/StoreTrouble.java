package dev.millrace.server;

import dev.millrace.core.store.JobTrouble;
import dev.millrace.core.store.StoreBroken;
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
final class StoreTrouble {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration FIRST_WAIT = Duration.ofMillis(100);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

  private final InstantSource clock;
  private final Set<Object> sufferers = new HashSet<>(); // guarded by this
  private @Nullable Instant since; // guarded by this
  private boolean givenUp; // guarded by this

  StoreTrouble(InstantSource clock) {
    this.clock = clock;
  }

  /**
   * The answer of {@code call}, however long it takes; empty if given up.
   *
   * @throws StoreBroken if the store is
   * @throws JobTrouble if it is about this job alone
   */
  <T> Optional<T> insist(Supplier<T> call) {
    return insist(call, () -> true);
  }

  /**
   * As {@link #insist(Supplier)}, but only while it is {@code worth} it; looked at after a wait.
   */
  <T> Optional<T> insist(Supplier<T> call, BooleanSupplier worth) {
    Object me = new Object();
    try {
      for (int tries = 0; ; tries++) {
        try {
          return Optional.of(call.get());
        } catch (StoreBroken | JobTrouble e) {
          throw e; // there is nothing to wait for
        } catch (RuntimeException e) {
          begins(me, e);
          if (!worth.getAsBoolean() || !awaitNextTry(tries)) {
            return Optional.empty();
          }
        }
      }
    } finally {
      ends(me);
    }
  }

  synchronized void begins(Object sufferer, RuntimeException problem) {
    if (sufferers.isEmpty()) {
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
    sufferers.add(sufferer);
  }

  synchronized void ends(Object sufferer) {
    if (sufferers.remove(sufferer)) {
      if (sufferers.isEmpty() && since != null && !givenUp) {
        Duration lasted = Duration.between(since, clock.instant());
        LOG.log(Level.INFO, "the store works again, after " + lasted);
      }
      notifyAll(); // what worked for one may work for all
    }
  }

  /** Whether anybody else waits for the store to work again. */
  synchronized boolean hitsOthersThan(Object sufferer) {
    return sufferers.size() > (sufferers.contains(sufferer) ? 1 : 0);
  }

  /** How long to wait after that many failures in a row, from 0. */
  static Duration wait(int failures) {
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures, 10));
    return wait.compareTo(LONGEST_WAIT) < 0 ? wait : LONGEST_WAIT;
  }

  /** False if it was the last try: whoever waits when everybody gives up tries once more. */
  private synchronized boolean awaitNextTry(int failures) {
    if (givenUp) {
      return false;
    }
    try {
      wait(wait(failures).toMillis());
      return true;
    } catch (InterruptedException e) {
      return false; // nobody of ours interrupts here; a stranger who does means it
    }
  }

  /** Lets everybody who waits look again whether it is still worth it. */
  synchronized void wake() {
    notifyAll();
  }

  /** From now on nothing is tried more than once. */
  synchronized void giveUp() {
    givenUp = true;
    notifyAll();
  }
}

package dev.millrace.core.internal.concurrent;

import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.health.StoreHealth.Trouble;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Whether the calls of a store fail for a reason that concerns all of it, such as a full disk. It
 * begins with the first call that fails, and ends when a trial succeeds, so that it does not last
 * for want of calls. The log gets one line for its begin and one for its end. Thread-safe.
 */
public final class StoreFailures {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final Duration TRIAL_INTERVAL = Duration.ofSeconds(1);

  private final Threading threading;
  private boolean logs; // guarded by this, as are the next four
  private long failures;
  private @Nullable Trouble trouble;
  private long since;
  private long nextTrial;
  private volatile int ends; // written under this

  StoreFailures(Threading threading) {
    this.threading = threading;
  }

  /** From now on, failures are logged: by a store that is open for long. */
  public synchronized void startLog() {
    logs = true;
  }

  /** How often the store has begun to work again. */
  int ends() {
    return ends;
  }

  /**
   * Counts a call that failed; one that concerns a single job is not counted. A call that was made
   * before the store began to work again says nothing new.
   *
   * @param endsBefore what {@link #ends} was when the call was made
   */
  synchronized void count(StoreException problem, int endsBefore) {
    if (problem.trouble() != null) {
      failures++;
      if (endsBefore == ends || problem.trouble() == Trouble.BROKEN) {
        begin(problem);
      }
    }
  }

  /** The store fails, although no call has noticed it yet. */
  public synchronized void begin(StoreException problem) {
    Trouble found = problem.trouble();
    if (found == null || trouble == Trouble.BROKEN) {
      return;
    }
    if (trouble == null) {
      since = threading.nanoTime();
      nextTrial = since + TRIAL_INTERVAL.toNanos();
      if (logs && found != Trouble.BROKEN) { // a server whose store is broken says so and stops
        LOG.log(
            Level.WARNING,
            "the store fails ("
                + problem.getMessage()
                + "): nothing is submitted or claimed, and outcomes wait in memory");
      }
    }
    trouble = found;
  }

  /** Whether to try now if the store works again; then {@link #end} follows, or nothing. */
  public synchronized boolean isTrialDue() {
    long now = threading.nanoTime();
    if (trouble == null || trouble == Trouble.BROKEN || now - nextTrial < 0) {
      return false;
    }
    nextTrial = now + TRIAL_INTERVAL.toNanos();
    return true;
  }

  public synchronized void end() {
    if (trouble != null && trouble != Trouble.BROKEN) {
      trouble = null;
      ends++;
      if (logs) {
        Duration lasted = Duration.ofNanos(threading.nanoTime() - since);
        LOG.log(Level.INFO, "the store works again after " + lasted.toSeconds() + " s");
      }
    }
  }

  /** Why calls fail now; null if they do not. */
  public synchronized @Nullable Trouble trouble() {
    return trouble;
  }

  /** How many calls have failed. */
  public synchronized long failures() {
    return failures;
  }
}

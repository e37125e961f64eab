package dev.millrace.server.internal;

import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Claims of this process that no worker has, because something failed in between. They are released;
 * if that fails, too, the next pulse tries again. Without it they would run as long as this process
 * does. Thread-safe.
 */
public final class UnreleasedClaims {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final JobStore store;
  private final Queue<Claim> claims = new ConcurrentLinkedQueue<>();

  public UnreleasedClaims(JobStore store) {
    this.store = store;
  }

  public boolean isEmpty() {
    return claims.isEmpty();
  }

  /**
   * Releases a claim now or later. One that was answered before stays answered.
   *
   * @throws StoreBrokenException if the store is broken
   */
  public void release(Claim claim) {
    claims.add(claim); // first: nothing needs memory when the release has failed
    if (!tryRelease(claim)) {
      LOG.log(Level.ERROR, "task " + claim + " cannot be released now, but will be tried again");
    }
  }

  /** Tries all again that could not be released. */
  public void releaseAgain() {
    claims.forEach(this::tryRelease);
  }

  private boolean tryRelease(Claim claim) {
    try {
      store.release(claim, "it lost its worker");
    } catch (StoreBrokenException e) {
      throw e;
    } catch (JobException | StoreException.Closed e) {
      // only this job is affected, and the store knows; or the next owner finds the task
      LOG.log(Level.ERROR, "task " + claim + " cannot be released: " + e.getMessage());
    } catch (RuntimeException | Error e) {
      LOG.log(Level.DEBUG, "task " + claim + " cannot be released now", e);
      return false;
    }
    claims.remove(claim);
    return true;
  }
}

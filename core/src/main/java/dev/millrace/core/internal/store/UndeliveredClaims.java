package dev.millrace.core.internal.store;

import dev.millrace.core.internal.lease.JobClaimKey;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Claims that are in a log although no worker was told of them, because something failed in between.
 * Without a worker they would run as long as this process does; they are released instead.
 * Thread-safe.
 */
final class UndeliveredClaims<J extends StoredJob> {
  private static final String REASON = "it did not reach a worker";

  /** The claims for one worker, from before they are written until the worker has them. */
  static final class Handover {
    private final Set<JobClaimKey> noted = new LinkedHashSet<>(); // guarded by this
    private volatile boolean failed;

    private synchronized void add(Collection<JobClaimKey> keys) {
      noted.addAll(keys);
    }

    private synchronized void remove(Collection<JobClaimKey> keys) {
      keys.forEach(noted::remove);
    }

    private synchronized boolean has(JobClaimKey key) {
      return noted.contains(key);
    }

    private synchronized List<JobClaimKey> all() {
      return List.copyOf(noted);
    }
  }

  private final JobRepository<J> repository;
  private final JobUpdater<J> updater;
  private final QuarantinedJobs quarantined;

  /** In the order of their claims, so that a simulation repeats itself. */
  private final Queue<Handover> open = new ConcurrentLinkedQueue<>();

  UndeliveredClaims(
      JobRepository<J> repository, JobUpdater<J> updater, QuarantinedJobs quarantined) {
    this.repository = repository;
    this.updater = updater;
    this.quarantined = quarantined;
  }

  /** Call before anything is written: nothing needs memory when it has failed. */
  Handover begin() {
    Handover handover = new Handover();
    open.add(handover);
    return handover;
  }

  /**
   * Notes claims that are about to be written; call it with their job's lock held. An earlier claim
   * of the same name was cut off the log: it never counted.
   */
  void note(Handover handover, List<Claim> claims) {
    List<JobClaimKey> keys = keys(claims);
    for (Handover other : open) {
      other.remove(keys);
    }
    handover.add(keys);
  }

  private static List<JobClaimKey> keys(List<Claim> claims) {
    List<JobClaimKey> keys = new ArrayList<>(claims.size());
    claims.forEach(claim -> keys.add(JobClaimKey.of(claim)));
    return keys;
  }

  /** The worker has these claims; others that were noted are released. */
  void delivered(Handover handover, List<Claim> claims) {
    handover.remove(keys(claims));
    if (handover.all().isEmpty()) {
      open.remove(handover);
    } else {
      handover.failed = true;
    }
  }

  /** The worker has none of the claims: the next call of {@link #release} releases them. */
  void failed(Handover handover) {
    handover.failed = true;
  }

  /** A worker of this process has answered a job that cannot be read: its task has to run again. */
  void abandon(Claim claim) {
    Handover handover = begin();
    handover.add(keys(List.of(claim)));
    failed(handover);
  }

  /** Releases the claims that no worker has; those that cannot be are kept for the next call. */
  void release() {
    for (Handover handover : open) {
      if (handover.failed) {
        boolean all = true;
        for (JobClaimKey claim : handover.all()) {
          all &= releaseOrReport(handover, claim);
        }
        if (all) {
          open.remove(handover);
        }
      }
    }
  }

  /** A job that cannot be read or written now does not keep the claims of others. */
  private boolean releaseOrReport(Handover handover, JobClaimKey claim) {
    try {
      release(handover, claim);
      return true;
    } catch (StoreBrokenException e) {
      throw e;
    } catch (RuntimeException | Error e) {
      quarantined.report(claim.job(), e);
      return false;
    }
  }

  /** The rule refuses a claim that was not written in the end. */
  private void release(Handover handover, JobClaimKey claim) {
    updater.step(
        claim.job(),
        (_, update) -> {
          if (!handover.has(claim)) {
            return Outcome.DONE;
          }
          repository
              .leases()
              .end(claim); // with the lock held: a later claim may have the same name
          return ClaimRules.release(update, claim.key(), REASON);
        });
  }
}

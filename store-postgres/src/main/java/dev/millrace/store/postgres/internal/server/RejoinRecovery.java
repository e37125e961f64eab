package dev.millrace.store.postgres.internal.server;

import dev.millrace.core.internal.store.JobUpdater;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.jobs.PostgresJob;
import dev.millrace.store.postgres.internal.jobs.PostgresRepository;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * What a server does after it has joined again. Tasks that it had before are still its own if no
 * other server has taken them: for a moment, their workers may hand in what they have computed in
 * the meantime. Then it releases what is left of them, as another server would.
 */
final class RejoinRecovery {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** Longer than a worker waits between two tries to reach the store. */
  private static final Duration LONGEST_GRACE = Duration.ofSeconds(6);

  private static final Duration RETRY = Duration.ofSeconds(1);

  private final PostgresStore store;
  private final PostgresRepository repository;
  private final ServerLease server;
  private final JobUpdater<PostgresJob> updater;

  RejoinRecovery(
      PostgresStore store,
      PostgresRepository repository,
      ServerLease server,
      JobUpdater<PostgresJob> updater) {
    this.store = store;
    this.repository = repository;
    this.server = server;
    this.updater = updater;
  }

  /**
   * @param before the epoch that is over
   * @param isStopped waits so long, or until the store is closed: then it is true
   */
  void run(long before, Predicate<Duration> isStopped) {
    tryTo(before, store::announceAgain);
    Duration grace = server.length().dividedBy(3);
    boolean stopped = isStopped.test(grace.compareTo(LONGEST_GRACE) < 0 ? grace : LONGEST_GRACE);
    server.giveUpPrevious(); // also if the database is away again
    while (!stopped && !tryTo(before, () -> recover(before))) {
      stopped = isStopped.test(RETRY);
    }
  }

  private void recover(long before) {
    store.announceAgain();
    if (server.serves()) { // a command has claimed nothing
      forEachLost(this::release);
    }
    Instant last = server.lastRenewal(before); // others keep what they have changed for a minute
    repository.changedSince(last).forEach(updater::changedElsewhere);
    repository.workElsewhere(Long.MIN_VALUE);
  }

  private boolean tryTo(long before, Runnable action) {
    try {
      action.run();
      return true;
    } catch (StoreException.Closed e) {
      return true;
    } catch (StoreException e) {
      LOG.log(Level.DEBUG, "cannot clean up after epoch " + before + "; trying again", e);
      return false;
    } catch (RuntimeException | Error e) { // sweeps of any server release what is left
      LOG.log(Level.ERROR, "cannot clean up after epoch " + before, e);
      return true;
    }
  }

  private void release(JobId id) {
    try {
      updater.releaseLost(id);
    } catch (JobException e) {
      // it is in quarantine
    }
  }

  /** Passes on all jobs of which servers that are gone have left tasks. */
  void forEachLost(Consumer<JobId> jobs) {
    List<JobId> before = List.of();
    List<JobId> left = repository.lostClaims();
    while (!left.isEmpty() && !left.equals(before)) { // the same ones again cannot be read
      left.forEach(jobs);
      before = left;
      left = repository.lostClaims();
    }
  }
}

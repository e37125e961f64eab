package dev.millrace.store.fs.internal.claim;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.ActiveJob;
import dev.millrace.store.fs.internal.jobs.JobWriter;
import dev.millrace.store.fs.internal.jobs.Leases;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import dev.millrace.store.fs.internal.queue.ClaimQueue.Candidate;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Hands out tasks in claim order. Thread-safe. */
public final class Claimer {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final JobWriter ledger;
  private final ClaimQueue queue;
  private final GroupCommit commits;
  private final Leases leases;
  private final SkippedJobs left;
  private volatile boolean troubled;

  public Claimer(
      JobWriter ledger, ClaimQueue queue, Leases leases, GroupCommit commits, SkippedJobs left) {
    this.ledger = ledger;
    this.queue = queue;
    this.leases = leases;
    this.commits = commits;
    this.left = left;
  }

  public List<Claim> claim(ClaimRequest demand) {
    List<Claim> claims = new ArrayList<>();
    UnsyncedChanges dirty = new UnsyncedChanges();
    StoreException trouble = null;
    Candidate next = queue.next(demand.types(), null);
    while (next != null && trouble == null) {
      trouble = take(next, demand, claims, dirty);
      next = claims.size() < demand.limit() ? queue.next(demand.types(), next) : null;
    }
    commits.commit(dirty);
    ledger.notifier().notifyWatchers(dirty); // also of what ended where nothing was claimed
    if (trouble != null && claims.isEmpty()) {
      throw trouble;
    }
    if (trouble != null) {
      LOG.log(Level.ERROR, trouble.getMessage()); // the next claim meets it again
    }
    return claims;
  }

  /** Claims what one job has; answers what is wrong where it is not that job alone. */
  private @Nullable StoreException take(
      Candidate next, ClaimRequest demand, List<Claim> claims, UnsyncedChanges dirty) {
    try {
      Optional<Boolean> again = Optional.of(true);
      while (again.orElse(false) && claims.size() < demand.limit()) {
        again = ledger.step(next.id(), dirty, (job, _) -> from(job, demand, claims, dirty));
      }
      if (again.isEmpty()) {
        queue.drop(next); // it was moved or removed meanwhile
      }
      return null;
    } catch (StoreBrokenException e) {
      throw e;
    } catch (RuntimeException e) {
      if (e instanceof StoreException store && !StoreErrors.isOfOneJob(store)) {
        return store;
      }
      queue.drop(next); // others go on; a later rescan looks at it again
      troubled = true;
      left.report(next.id(), e);
      return null;
    }
  }

  /** Whether a job was left alone since this was last asked. */
  public boolean takeTroubled() {
    boolean was = troubled;
    troubled = false;
    return was;
  }

  /**
   * Claims what the job's open stage has, as far as the demand goes; true if that ended the stage,
   * because the rest had waited too long or was malformed: another may be open now.
   */
  private boolean from(
      ActiveJob job, ClaimRequest demand, List<Claim> claims, UnsyncedChanges dirty)
      throws IOException {
    StageFold stage = job.openStage();
    if (stage == null || !demand.types().contains(stage.plan().type())) {
      ledger.updateQueue(job);
      return false;
    }
    Instant now = ledger.now(); // the log's time, which never runs back, is not for waits
    Duration timeout = stage.plan().policy().queueTimeout();
    if (timeout != null && expire(job, stage, now, timeout, dirty)) {
      return true;
    }
    int first = job.nextClaimable(stage, 0, now);
    if (first < 0) {
      ledger.updateQueue(job);
      return false;
    }
    if (job.place() == JobState.PENDING) {
      // The rename first: the log of a job that waits need not be read to know that it waits.
      ledger.move(job, JobState.IN_PROGRESS, dirty);
    }
    List<Claim> taken = new ArrayList<>();
    int most = demand.limit() - claims.size();
    ledger.record(
        job,
        dirty,
        turn -> {
          for (int task = first;
              task >= 0 && taken.size() < most && stage.state().isOpen();
              task = job.nextClaimable(stage, task + 1, now)) {
            one(job, turn, stage, task, demand, taken);
          }
          return Outcome.DONE;
        });
    if (!job.fold().state().isFinal()) { // else a task that was malformed has failed them all
      claims.addAll(taken); // not before they are written: a claim that is not in the log is none
      taken.forEach(claim -> leases.grant(claim, now));
    }
    ledger.finish(job, dirty);
    return !stage.state().isOpen();
  }

  /** Fails what has waited too long while nobody was there to see it; true if the stage is over. */
  private boolean expire(
      ActiveJob job, StageFold stage, Instant now, Duration timeout, UnsyncedChanges dirty)
      throws IOException {
    int number = stage.number();
    Instant known = job.overdueFrom(number);
    if (known != null && now.isBefore(known)) {
      return false; // or each claim would look at each task that waits
    }
    ledger.record(
        job,
        dirty,
        turn -> {
          Instant earliest = now.plus(timeout); // of those that come from now on
          for (int task = job.nextWaiting(number, 0);
              task >= 0;
              task = job.nextWaiting(number, task + 1)) {
            if (!ClaimRules.expire(turn, number, task).isDone()) {
              Instant deadline = ClaimRules.queueDeadline(turn.fold(), number, task);
              earliest = deadline == null || earliest.isBefore(deadline) ? earliest : deadline;
            }
          }
          job.overdueFrom(number, earliest);
          return Outcome.DONE;
        });
    if (stage.state().isOpen()) {
      return false;
    }
    ledger.finish(job, dirty);
    return true;
  }

  private void one(
      ActiveJob job,
      JobUpdate turn,
      StageFold stage,
      int task,
      ClaimRequest demand,
      List<Claim> claims) {
    int number = stage.number();
    ClaimRules.claim(
        turn,
        number,
        task,
        new Detail.Claimed(ledger.epoch(), demand.worker(), demand.lease(), demand.tokenless()));
    ClaimKey hold = new ClaimKey(number, task, Objects.requireNonNull(stage.task(task).token()));
    try {
      if (job.problem() != null) {
        throw new JobFiles.MalformedJobException(job.problem());
      }
      claims.add(job.claim(stage, task));
    } catch (IOException e) {
      String why =
          e instanceof JobFiles.MalformedJobException ? e.getMessage() : StoreErrors.explain(e);
      LOG.log(Level.WARNING, "job " + job.id() + ": " + why);
      ClaimRules.fail(turn, hold, Failure.permanent(String.valueOf(why)), 0);
    }
  }
}

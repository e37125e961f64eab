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

/** Gives tasks to workers, in claim order. Thread-safe. */
public final class Claimer {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final JobWriter writer;
  private final ClaimQueue queue;
  private final GroupCommit commits;
  private final Leases leases;
  private final SkippedJobs left;
  private volatile boolean troubled;

  public Claimer(
      JobWriter writer, ClaimQueue queue, Leases leases, GroupCommit commits, SkippedJobs left) {
    this.writer = writer;
    this.queue = queue;
    this.leases = leases;
    this.commits = commits;
    this.left = left;
  }

  public List<Claim> claim(ClaimRequest request) {
    List<Claim> claims = new ArrayList<>();
    UnsyncedChanges unsynced = new UnsyncedChanges();
    StoreException trouble = null;
    Candidate next = queue.next(request.types(), null);
    while (next != null && trouble == null) {
      trouble = take(next, request, claims, unsynced);
      next = claims.size() < request.limit() ? queue.next(request.types(), next) : null;
    }
    commits.commit(unsynced);
    writer.notifier().notifyWatchers(unsynced); // also for jobs that ended without a claim
    if (trouble != null && claims.isEmpty()) {
      throw trouble;
    }
    if (trouble != null) {
      LOG.log(Level.ERROR, trouble.getMessage()); // the next claim tries it again
    }
    return claims;
  }

  /** Claims tasks of one job; returns a problem only if it is not of this job alone. */
  private @Nullable StoreException take(
      Candidate next, ClaimRequest request, List<Claim> claims, UnsyncedChanges unsynced) {
    try {
      Optional<Boolean> again = Optional.of(true);
      while (again.orElse(false) && claims.size() < request.limit()) {
        again = writer.step(next.id(), unsynced, (job, _) -> from(job, request, claims, unsynced));
      }
      if (again.isEmpty()) {
        queue.drop(next); // the job was moved or removed in the meantime
      }
      return null;
    } catch (StoreBrokenException e) {
      throw e;
    } catch (RuntimeException e) {
      if (e instanceof StoreException store && !StoreErrors.isOfOneJob(store)) {
        return store;
      }
      queue.drop(next); // continue with other jobs; a later rescan tries this one again
      troubled = true;
      left.report(next.id(), e);
      return null;
    }
  }

  /** Whether a job was skipped since the last call. */
  public boolean takeTroubled() {
    boolean was = troubled;
    troubled = false;
    return was;
  }

  /**
   * Claims tasks of the job's open stage, up to the requested number. True if that ended the stage,
   * because the remaining tasks had timed out or were malformed: the next stage may be open now.
   */
  private boolean from(
      ActiveJob job, ClaimRequest request, List<Claim> claims, UnsyncedChanges unsynced)
      throws IOException {
    StageFold stage = job.openStage();
    if (stage == null || !request.types().contains(stage.plan().type())) {
      writer.updateQueue(job);
      return false;
    }
    Instant now = writer.now(); // backoffs use the clock, not the log's time, which never decreases
    Duration timeout = stage.plan().policy().queueTimeout();
    if (timeout != null && expire(job, stage, now, timeout, unsynced)) {
      return true;
    }
    int first = job.nextClaimable(stage, 0, now);
    if (first < 0) {
      writer.updateQueue(job);
      return false;
    }
    if (job.directoryState() == JobState.PENDING) {
      // Rename first: then the log of a waiting job need not be read to know that it waits.
      writer.move(job, JobState.IN_PROGRESS, unsynced);
    }
    List<Claim> taken = new ArrayList<>();
    int most = request.limit() - claims.size();
    writer.record(
        job,
        unsynced,
        update -> {
          for (int task = first;
              task >= 0 && taken.size() < most && stage.state().isOpen();
              task = job.nextClaimable(stage, task + 1, now)) {
            one(job, update, stage, task, request, taken);
          }
          return Outcome.DONE;
        });
    if (!job.fold().state().isFinal()) { // else a malformed task has failed the stage
      claims.addAll(taken); // only after writing: a claim that is not in the log does not exist
      taken.forEach(claim -> leases.grant(claim, now));
    }
    writer.finish(job, unsynced);
    return !stage.state().isOpen();
  }

  /** Fails tasks whose queue timeout passed unnoticed; true if that ended the stage. */
  private boolean expire(
      ActiveJob job, StageFold stage, Instant now, Duration timeout, UnsyncedChanges unsynced)
      throws IOException {
    int number = stage.number();
    Instant known = job.overdueFrom(number);
    if (known != null && now.isBefore(known)) {
      return false; // else each claim would look at each waiting task
    }
    writer.record(
        job,
        unsynced,
        update -> {
          Instant earliest = now.plus(timeout); // for tasks that are enqueued from now on
          for (int task = job.nextWaiting(number, 0);
              task >= 0;
              task = job.nextWaiting(number, task + 1)) {
            if (!ClaimRules.expire(update, number, task).isDone()) {
              Instant deadline = ClaimRules.queueDeadline(update.fold(), number, task);
              earliest = deadline == null || earliest.isBefore(deadline) ? earliest : deadline;
            }
          }
          job.overdueFrom(number, earliest);
          return Outcome.DONE;
        });
    if (stage.state().isOpen()) {
      return false;
    }
    writer.finish(job, unsynced);
    return true;
  }

  private void one(
      ActiveJob job,
      JobUpdate update,
      StageFold stage,
      int task,
      ClaimRequest request,
      List<Claim> claims) {
    int number = stage.number();
    ClaimRules.claim(
        update,
        number,
        task,
        new Detail.Claimed(writer.epoch(), request.worker(), request.lease(), request.tokenless()));
    ClaimKey key = new ClaimKey(number, task, Objects.requireNonNull(stage.task(task).token()));
    try {
      if (job.problem() != null) {
        throw new JobFiles.MalformedJobException(job.problem());
      }
      claims.add(job.claim(stage, task));
    } catch (IOException e) {
      String why =
          e instanceof JobFiles.MalformedJobException ? e.getMessage() : StoreErrors.explain(e);
      LOG.log(Level.WARNING, "job " + job.id() + ": " + why);
      ClaimRules.fail(update, key, Failure.permanent(String.valueOf(why)), 0);
    }
  }
}

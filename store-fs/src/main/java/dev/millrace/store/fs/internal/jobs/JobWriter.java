package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.LeverRules;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.PendingTransition;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import dev.millrace.store.fs.internal.queue.FinishRate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The only way to change the owner's jobs: lock the job, let a rule record entries, append them to
 * the log, move the directory if the job ended, sync, and only then notify.
 *
 * <p>If a step cannot be written, the job is dropped and read again from disk: memory is never
 * ahead of the log.
 */
public final class JobWriter {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** A change of a job, with its lock held. */
  @FunctionalInterface
  public interface Step<T> {
    T run(ActiveJob job, UnsyncedChanges unsynced) throws IOException;
  }

  private final FsSettings settings;
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final ClaimQueue queue;
  private final long epoch;
  private final ActiveJobs jobs;
  private final EndedClaims endedClaims = new EndedClaims();
  private final JobRecovery recovery;
  private final FinishRate rate = new FinishRate();
  private final EndedJobWriter endedJobs;
  private final ChangeNotifier notifier;
  private final UnstartedJobCache unstarted;

  public JobWriter(
      FsSettings settings, GroupCommit commits, ClaimQueue queue, Leases leases, long epoch) {
    this.settings = settings;
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.commits = commits;
    this.queue = queue;
    this.epoch = epoch;
    this.recovery = new JobRecovery(settings, commits, this, queue, leases);
    this.jobs = new ActiveJobs(disk, layout, commits, recovery);
    this.unstarted = new UnstartedJobCache(jobs, queue, commits);
    this.endedJobs = new EndedJobWriter(disk, layout, commits, this::now);
    this.notifier = new ChangeNotifier(commits);
  }

  public long epoch() {
    return epoch;
  }

  public Instant now() {
    return settings.clock().instant();
  }

  /** Throws if the store can no longer guarantee what it holds. */
  public void requireIntact() {
    commits.requireIntact();
  }

  /** Returns when that sync is done. */
  public void awaitSync(long batch) {
    commits.awaitSync(batch);
  }

  /**
   * Runs a step on a job that has not ended and makes it durable.
   *
   * @return empty if there is no such job in a state that is not final
   */
  public <T> Optional<T> step(JobId id, Step<T> step) {
    UnsyncedChanges unsynced = new UnsyncedChanges();
    try {
      Optional<T> answer = step(id, unsynced, step);
      commits.commit(unsynced);
      return answer;
    } finally {
      notifier.notifyWatchers(unsynced); // also of what was completed before a step that failed
    }
  }

  /** As {@link #step(JobId, Step)}, but without waiting for a sync. */
  public <T> Optional<T> stepWithoutSync(JobId id, Step<T> step) {
    UnsyncedChanges unsynced = new UnsyncedChanges();
    try {
      return step(id, unsynced, step);
    } finally {
      notifier.notifyAfterSync(unsynced);
    }
  }

  /** The jobs in memory. */
  public ActiveJobs jobs() {
    return jobs;
  }

  /** Notifies watchers of changes to jobs. */
  public ChangeNotifier notifier() {
    return notifier;
  }

  /** Jobs in their final directories. */
  public EndedJobWriter endedJobs() {
    return endedJobs;
  }

  /** How many tasks of a former owner were released since the last call. */
  public long takeReleased() {
    return recovery.takeReleased();
  }

  /** Claims that ended with jobs that are no longer in memory. */
  public EndedClaims endedClaims() {
    return endedClaims;
  }

  /** How fast jobs finished recently. */
  public FinishRate finishRate() {
    return rate;
  }

  /** As {@link #step(JobId, Step)}, but the caller commits {@code unsynced}. */
  public <T> Optional<T> step(JobId id, UnsyncedChanges unsynced, Step<T> step) {
    commits.requireIntact();
    while (true) {
      ActiveJob job = jobs.find(id, unsynced);
      if (job == null) {
        return Optional.empty();
      }
      job.lock.lock();
      try {
        if (!job.isForgotten()) {
          long length = job.logLength();
          JobState directoryState = job.directoryState();
          T answer = step.run(job, unsynced);
          commits.enlist(unsynced);
          job.enlistedIn(unsynced.lastSync());
          if (job.takeLeverFlag()) {
            unsynced.jobsWithLever().add(id);
          }
          if (job.logLength() != length || job.directoryState() != directoryState) {
            unsynced.changedJobs().add(id);
          }
          JobState state = job.fold().state();
          if (state == JobState.ABORTED) {
            endedClaims.add(job);
            jobs.forget(job);
          } else if (state == JobState.PAUSED && !job.isRunning()) {
            jobs.forget(job); // a paused job need not stay in memory
          } else if (job.isUnstarted()) {
            unstarted.add(job);
          }
          return Optional.of(answer);
        }
      } catch (IOException e) {
        return vanishedOrThrow(job, e);
      } catch (UncheckedIOException e) {
        return vanishedOrThrow(job, e.getCause());
      } catch (RuntimeException e) {
        jobs.markInterrupted(job); // what was recorded may not have been written
        throw e;
      } finally {
        job.lock.unlock();
      }
    }
  }

  private <T> Optional<T> vanishedOrThrow(ActiveJob job, IOException e) {
    jobs.forget(job);
    Path dir = job.at().dir();
    try {
      if (e instanceof NoSuchFileException && disk.kind(dir) == Disk.Kind.NOTHING) {
        queue.remove(job.id());
        if (layout.lookUp(disk, job.id()).isEmpty()) {
          LOG.log(
              Level.ERROR,
              "job "
                  + job.id()
                  + " has vanished from "
                  + dir.getParent()
                  + "; was it deleted by hand? the job is dropped, other jobs continue");
        }
        return Optional.empty();
      }
    } catch (IOException further) {
      e.addSuppressed(further);
    }
    jobs.markInterrupted(job);
    throw StoreErrors.ofJob("cannot write job " + job.id(), e);
  }

  /** Applies a rule and appends what it records to the log. */
  public Outcome record(ActiveJob job, UnsyncedChanges unsynced, Function<JobUpdate, Outcome> rule)
      throws IOException {
    return record(job, now(), unsynced, rule);
  }

  private Outcome record(
      ActiveJob job, Instant at, UnsyncedChanges unsynced, Function<JobUpdate, Outcome> rule)
      throws IOException {
    UnsyncedChanges rendered = new UnsyncedChanges();
    JobUpdate update =
        new JobUpdate(job.fold(), at, job.files().templateResolver(job.at(), job.fold(), rendered));
    Outcome answer = rule.apply(update);
    commits.commit(rendered); // what an entry refers to is on disk before the entry
    append(job, update.entries(), unsynced);
    return answer;
  }

  /** Appends entries to the log, after those that were implied so far. */
  static void append(ActiveJob job, List<LogEntry> entries, UnsyncedChanges unsynced)
      throws IOException {
    if (!entries.isEmpty()) {
      List<LogEntry> all = new ArrayList<>(job.unwritten());
      all.addAll(entries);
      job.logAppended(EventLog.append(job.at(), all, unsynced), all.getLast().number());
      job.unwritten().clear();
    }
  }

  /** Renames the job's directory; {@code unsynced} gets the new name to sync. */
  public void move(ActiveJob job, JobState to, UnsyncedChanges unsynced) throws IOException {
    Path from = job.at().dir();
    disk.rename(from, layout.of(to, job.id()));
    job.movedTo(to);
    unsynced.addDirectory(layout.of(to));
  }

  /**
   * Moves the job to its final directory if the rules ended it; else updates the queue. True if it
   * ended; everything is durable then.
   */
  public boolean finish(ActiveJob job, UnsyncedChanges unsynced) throws IOException {
    JobState end = job.fold().state();
    if (end != JobState.COMPLETED && end != JobState.FAILED) {
      updateQueue(job);
      return false;
    }
    job.files().writeFinalFiles(job.at(), job.fold(), unsynced);
    commits.commit(unsynced);
    tidy(job);
    JobFiles.publish(job.at(), JobMetaFile.FILE);
    move(job, end, unsynced);
    commits.commit(unsynced.addDirectory(job.at().dir()));
    endedClaims.add(job);
    jobs.forget(job);
    queue.remove(job.id());
    rate.finished(job.fold());
    return true;
  }

  /** Deletes what the ended job does not need: its end is in the log and cannot be undone. */
  private static void tidy(ActiveJob job) {
    try {
      job.files().deleteUnneeded(job.at(), job.fold());
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "job "
              + job.id()
              + ": cannot delete a file that is no longer needed: "
              + StoreErrors.explain(e));
    }
  }

  /** Updates the queue with the job's tasks to claim. */
  public void updateQueue(ActiveJob job) {
    StageFold stage = job.openStage();
    if (stage != null && job.nextWaiting(stage.number(), 0) >= 0) {
      queue.put(
          ClaimQueue.Candidate.of(
                  job.id(),
                  stage.plan().type(),
                  job.priority(),
                  job.fold().plan().createdAt(),
                  job.isUnstarted() ? stage.count(TaskState.PENDING) : 0)
              .withBackoff(job.backoffUntil(stage, now())),
          job.takeArrivalFlag());
    } else if (job.isUnstarted()) {
      queue.markNothingToClaim(job.id());
    } else {
      queue.remove(job.id());
    }
  }

  /**
   * A user's lever that moves the job: writes its intent, renames the directory, then records the
   * event.
   */
  public Outcome applyLever(ActiveJob job, PendingTransition op, UnsyncedChanges unsynced)
      throws IOException {
    if (job.fold().hasRequest(op.id())) {
      return Outcome.DONE;
    }
    JobState state = job.fold().state();
    if (JobTransitions.TABLE.next(state, op.event()).isEmpty()) {
      return new Outcome.Refused(JobTransitions.TABLE.refusal(state, op.event()));
    }
    op.write(job.at(), unsynced);
    if (job.fold().lastNumber() > job.unwritten().size()) {
      unsynced.addFile(job.at().file(EventLog.FILE));
    }
    commits.commit(unsynced);
    move(job, op.to(), unsynced);
    commits.commit(unsynced);
    record(job, op.at(), unsynced, update -> LeverRules.applyToJob(update, op.event(), op.cause()));
    finish(job, unsynced);
    return Outcome.DONE;
  }

  /** The state that a lever leads to; a job that had started is running again. */
  public static JobState targetState(ActiveJob job, JobEvent event) {
    return switch (event) {
      case PAUSE -> JobState.PAUSED;
      case ABORT -> JobState.ABORTED;
      default -> job.fold().startedAt() == null ? JobState.PENDING : JobState.IN_PROGRESS;
    };
  }

  /**
   * Completes the log of a job that another process or a user by hand moved to a final directory.
   */
  public void completeEndedLog(JobId id) {
    ActiveJob before = jobs.get(id);
    if (before != null) {
      boolean running;
      before.lock.lock();
      try {
        running = !before.isForgotten() && before.isRunning();
        jobs.forget(before);
      } finally {
        before.lock.unlock();
      }
      if (running) {
        notifier.stopped(id); // it was moved by hand
      }
    }
    queue.remove(id);
    if (endedClaims.contains(id)) {
      return; // the owner itself ended it
    }
    try {
      if (endedJobs.completeLog(id)) {
        notifier.changed(id);
      }
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "job " + id + " ended, but its log could not be completed: " + StoreErrors.explain(e));
    }
  }
}

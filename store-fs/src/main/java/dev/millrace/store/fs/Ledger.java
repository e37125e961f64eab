package dev.millrace.store.fs;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Levers;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.task.TaskState;
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
 * The owner's jobs and the one way to change them: lock the job, let a rule record entries, append
 * them to the log, move the directory if the job ended, and tell nobody before a sync.
 *
 * <p>If a step cannot be written, the job is forgotten and read again from disk: memory never knows
 * more than the log.
 */
final class Ledger {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** Something done to a job by whoever holds its lock. */
  @FunctionalInterface
  interface Step<T> {
    T run(ActiveJob job, Dirty dirty) throws IOException;
  }

  private final FsSettings settings;
  private final Disk disk;
  private final Places places;
  private final GroupCommit commits;
  private final ClaimQueue queue;
  private final long epoch;
  private final ActiveJobs jobs;
  private final Orphans orphans = new Orphans();
  private final Recovery recovery;
  private final FinishRate rate = new FinishRate();
  private final EndedJobs ended;
  private final Bulletin bulletin;
  private final Waiting waiting;

  Ledger(FsSettings settings, GroupCommit commits, ClaimQueue queue, Leases leases, long epoch) {
    this.settings = settings;
    this.disk = settings.disk();
    this.places = settings.places();
    this.commits = commits;
    this.queue = queue;
    this.epoch = epoch;
    this.recovery = new Recovery(settings, commits, this, queue, leases);
    this.jobs = new ActiveJobs(disk, places, commits, recovery);
    this.waiting = new Waiting(jobs, queue, commits);
    this.ended = new EndedJobs(disk, places, commits, this::now);
    this.bulletin = new Bulletin(commits);
  }

  long epoch() {
    return epoch;
  }

  Instant now() {
    return settings.clock().instant();
  }

  /** Throws if the store can no longer vouch for what it holds. */
  void check() {
    commits.check();
  }

  /** Returns once that sync was done. */
  void await(long batch) {
    commits.await(batch);
  }

  /**
   * Runs a step on a job that has not ended and makes it durable.
   *
   * @return empty if there is no such job in a state that is not final
   */
  <T> Optional<T> step(JobId id, Step<T> step) {
    Dirty dirty = new Dirty();
    try {
      Optional<T> answer = step(id, dirty, step);
      commits.commit(dirty);
      return answer;
    } finally {
      bulletin.tell(dirty); // also of what was completed before a step that failed
    }
  }

  /** As {@link #step(JobId, Step)}, but waits for no sync: the next one is soon enough. */
  <T> Optional<T> jot(JobId id, Step<T> step) {
    Dirty dirty = new Dirty();
    try {
      return step(id, dirty, step);
    } finally {
      bulletin.tellLater(dirty);
    }
  }

  /** The jobs in memory. */
  ActiveJobs jobs() {
    return jobs;
  }

  /** Whom to tell of what happens to jobs. */
  Bulletin bulletin() {
    return bulletin;
  }

  /** Jobs in their last places. */
  EndedJobs ended() {
    return ended;
  }

  /** How many tasks of a former owner were released since this was last asked. */
  long takeReleased() {
    return recovery.takeReleased();
  }

  /** Claims of jobs that were forgotten because they ended. */
  Orphans orphans() {
    return orphans;
  }

  /** How fast jobs were finished of late. */
  FinishRate rate() {
    return rate;
  }

  /** As {@link #step(JobId, Step)}, but the caller commits {@code dirty}. */
  <T> Optional<T> step(JobId id, Dirty dirty, Step<T> step) {
    commits.check();
    while (true) {
      ActiveJob job = jobs.find(id, dirty);
      if (job == null) {
        return Optional.empty();
      }
      job.lock.lock();
      try {
        if (!job.forgotten()) {
          long length = job.logLength();
          JobState place = job.place();
          T answer = step.run(job, dirty);
          commits.enlist(dirty);
          job.settled(dirty.batch());
          if (job.takeLever()) {
            dirty.levers().add(id);
          }
          if (job.logLength() != length || job.place() != place) {
            dirty.changed().add(id);
          }
          JobState state = job.fold().state();
          if (state == JobState.ABORTED) {
            orphans.add(job);
            jobs.forget(job);
          } else if (state == JobState.PAUSED && !job.running()) {
            jobs.forget(job); // a user has it; it need not fill our memory
          } else if (job.waits()) {
            waiting.add(job);
          }
          return Optional.of(answer);
        }
      } catch (IOException e) {
        return vanishedOrThrow(job, e);
      } catch (UncheckedIOException e) {
        return vanishedOrThrow(job, e.getCause());
      } catch (RuntimeException e) {
        jobs.interrupt(job); // what was recorded may not have been written
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
        if (places.look(disk, job.id()).isEmpty()) {
          LOG.log(
              Level.ERROR,
              "job "
                  + job.id()
                  + " has vanished from "
                  + dir.getParent()
                  + ": deleted by hand? It is given up; other jobs go on");
        }
        return Optional.empty();
      }
    } catch (IOException further) {
      e.addSuppressed(further);
    }
    jobs.interrupt(job);
    throw Failures.ofJob("cannot write job " + job.id(), e);
  }

  /** Lets a rule record what it will, and writes that to the log. */
  Answer record(ActiveJob job, Dirty dirty, Function<Turn, Answer> rule) throws IOException {
    return record(job, now(), dirty, rule);
  }

  private Answer record(ActiveJob job, Instant at, Dirty dirty, Function<Turn, Answer> rule)
      throws IOException {
    Dirty rendered = new Dirty();
    Turn turn = new Turn(job.fold(), at, job.files().openings(job.at(), job.fold(), rendered));
    Answer answer = rule.apply(turn);
    commits.commit(rendered); // what an entry speaks of is on disk before the entry is
    append(job, turn.entries(), dirty);
    return answer;
  }

  /** Adds entries to the log, after those that it should have begun with. */
  static void append(ActiveJob job, List<Entry> entries, Dirty dirty) throws IOException {
    if (!entries.isEmpty()) {
      List<Entry> all = new ArrayList<>(job.unwritten());
      all.addAll(entries);
      job.logged(EventLog.append(job.at(), all, dirty), all.getLast().number());
      job.unwritten().clear();
    }
  }

  /** Renames the job's directory; the sync of the new name is left to {@code dirty}. */
  void move(ActiveJob job, JobState to, Dirty dirty) throws IOException {
    Path from = job.at().dir();
    disk.rename(from, places.of(to, job.id()));
    job.placed(to);
    dirty.directory(places.of(to));
  }

  /**
   * Brings the job to its last place if the rules ended it, and the queue up to date if not. True
   * if it ended; everything is durable then.
   */
  boolean finish(ActiveJob job, Dirty dirty) throws IOException {
    JobState end = job.fold().state();
    if (end != JobState.COMPLETED && end != JobState.FAILED) {
      index(job);
      return false;
    }
    job.files().finish(job.at(), job.fold(), dirty);
    commits.commit(dirty);
    tidy(job);
    JobFiles.publish(job.at(), Meta.FILE);
    move(job, end, dirty);
    commits.commit(dirty.directory(job.at().dir()));
    orphans.add(job);
    jobs.forget(job);
    queue.remove(job.id());
    rate.finished(job.fold());
    return true;
  }

  /** What the log now says cannot be undone, so nobody needs the rest. */
  private static void tidy(ActiveJob job) {
    try {
      job.files().tidy(job.at(), job.fold());
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "job " + job.id() + " keeps a file that nobody needs: " + Failures.explain(e));
    }
  }

  /** Tells the queue what the job has to claim now. */
  void index(ActiveJob job) {
    StageFold stage = job.openStage();
    if (stage != null && job.nextWaiting(stage.number(), 0) >= 0) {
      queue.set(
          ClaimQueue.Candidate.of(
                  job.id(),
                  stage.plan().type(),
                  job.priority(),
                  job.fold().plan().createdAt(),
                  job.waits() ? stage.count(TaskState.PENDING) : 0)
              .resting(job.restsUntil(stage, now())),
          job.takeArrival());
    } else if (job.waits()) {
      queue.silence(job.id());
    } else {
      queue.remove(job.id());
    }
  }

  /** A user's lever that moves the job: its intent, the rename that does it, then its event. */
  Answer pull(ActiveJob job, Operation op, Dirty dirty) throws IOException {
    if (job.fold().knows(op.id())) {
      return Answer.DONE;
    }
    JobState state = job.fold().state();
    if (JobTransitions.TABLE.next(state, op.event()).isEmpty()) {
      return new Answer.Refused(JobTransitions.TABLE.refusal(state, op.event()));
    }
    op.write(job.at(), dirty);
    if (job.fold().lastNumber() > job.unwritten().size()) {
      dirty.file(job.at().file(EventLog.FILE));
    }
    commits.commit(dirty);
    move(job, op.to(), dirty);
    commits.commit(dirty);
    record(job, op.at(), dirty, turn -> Levers.pull(turn, op.event(), op.cause()));
    finish(job, dirty);
    return Answer.DONE;
  }

  /** Where a lever takes the job; a job that had started goes on running. */
  static JobState target(ActiveJob job, JobEvent event) {
    return switch (event) {
      case PAUSE -> JobState.PAUSED;
      case ABORT -> JobState.ABORTED;
      default -> job.fold().startedAt() == null ? JobState.PENDING : JobState.IN_PROGRESS;
    };
  }

  /** Completes the log of a job that another process, or a hand, moved to a final place. */
  void completeEnded(JobId id) {
    ActiveJob before = jobs.get(id);
    if (before != null) {
      boolean running;
      before.lock.lock();
      try {
        running = !before.forgotten() && before.running();
        jobs.forget(before);
      } finally {
        before.lock.unlock();
      }
      if (running) {
        bulletin.stopped(id); // a hand has moved it
      }
    }
    queue.remove(id);
    if (orphans.knows(id)) {
      return; // it was the owner itself that ended it
    }
    try {
      if (ended.complete(id)) {
        bulletin.changed(id);
      }
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "job " + id + " ended, but its log could not be completed: " + Failures.explain(e));
    }
  }
}

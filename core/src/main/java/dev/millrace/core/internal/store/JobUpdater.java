package dev.millrace.core.internal.store;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.concurrent.StoreFence;
import dev.millrace.core.internal.count.StatusCountKeeper;
import dev.millrace.core.internal.lease.JobClaimKey;
import dev.millrace.core.internal.rules.AttemptProgress;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.Moment;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * The only way to change a job: lock it, let a rule record entries, append these to its log, wait
 * until that is durable, and only then notify. If a step cannot be written, the job is dropped and
 * read again: memory is never ahead of the log. Thread-safe.
 *
 * @param <J> a job as its repository loads it
 */
public final class JobUpdater<J extends StoredJob> {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /**
   * A change of a job, with its lock held: what the update records is appended when this returns.
   * It may be repeated if another process changes the job at the same time.
   */
  @FunctionalInterface
  public interface Step<J, T> {
    T apply(J job, JobUpdate update) throws IOException;
  }

  private final JobRepository<J> repository;
  private final StoreFence fence;
  private final QuarantinedJobs quarantined;
  private final LoadedJobs<J> jobs;
  private final IdleJobCache<J> idle;
  private final ChangeNotifier notifier;
  private final StatusCountKeeper counting;
  private final LongAdder released = new LongAdder();
  private final LongAccumulator lastCommit = new LongAccumulator(Math::max, 0);

  JobUpdater(JobRepository<J> repository, StoreFence fence, QuarantinedJobs quarantined) {
    this.repository = repository;
    this.quarantined = quarantined;
    this.fence = fence;
    this.jobs = new LoadedJobs<>(repository, this::load);
    this.idle = new IdleJobCache<>(jobs, repository);
    this.notifier = new ChangeNotifier(repository::lastDurable);
    this.counting =
        new StatusCountKeeper(repository.reader(), this::countLoaded, repository.threading());
  }

  /** The jobs in memory. */
  public LoadedJobs<J> jobs() {
    return jobs;
  }

  /** Notifies watchers of changes to jobs. */
  public ChangeNotifier notifier() {
    return notifier;
  }

  /** Counts jobs, stages and tasks. */
  public StatusCountKeeper counting() {
    return counting;
  }

  private boolean countLoaded(JobId id) {
    try {
      return jobs.readIfLoaded(
              id,
              job -> {
                counting.put(id, job.counts());
                return Optional.of(true);
              })
          .isPresent();
    } catch (IOException e) {
      throw new UncheckedIOException(e); // nothing is read here
    }
  }

  /** How many tasks of a process that is gone were released since the last call. */
  public long takeReleased() {
    return released.sumThenReset();
  }

  /**
   * Takes a step and makes it durable.
   *
   * @return empty if there is no such job
   */
  public <T> Optional<T> step(JobId id, Step<J, T> step) {
    return fence.call(
        () -> {
          StepBatch batch = new StepBatch();
          try {
            Optional<T> answer = step(id, batch, step);
            repository.awaitDurable(batch.commit());
            return answer;
          } finally {
            notifier.notifyWatchers(batch); // also of what was completed before a step that failed
          }
        });
  }

  /** As {@link #step(JobId, Step)}, but without waiting until it is durable. */
  <T> Optional<T> stepWithoutWaiting(JobId id, Step<J, T> step) {
    StepBatch batch = new StepBatch();
    try {
      return step(id, batch, step);
    } finally {
      notifier.notifyLater(batch);
    }
  }

  /**
   * As {@link #stepWithoutWaiting}, also if another process has changed the job meanwhile: for what
   * the repository itself refuses then.
   */
  <T> Optional<T> stepUnchecked(JobId id, Step<J, T> step) {
    StepBatch batch = new StepBatch();
    try {
      return step(id, batch, step, false);
    } finally {
      notifier.notifyLater(batch);
    }
  }

  /** Returns when every step so far is durable, also those that no one waited for. */
  void awaitAll() {
    long last = lastCommit.get();
    if (repository.lastDurable() < last) { // else it may have been lost, which its caller was told
      repository.awaitDurable(last);
    }
    notifier.notifyIfDurable();
    jobs.forgetDurable();
  }

  /** Reads a job into memory, which completes what a crash or another process left unfinished. */
  public boolean touch(JobId id) {
    return step(id, (job, _) -> job).isPresent();
  }

  /** Releases what processes that are gone have left of a job; its workers here have to stop. */
  public void releaseLost(JobId id) {
    step(
        id,
        (job, update) -> {
          if (job.endedElsewhere() == null) {
            recover(job, update);
          }
          return job;
        });
    notifier.stopped(id);
  }

  /**
   * Reads a job again that someone else has ended, so that its log is completed, and stops its
   * workers.
   */
  public void readEnded(JobId id) {
    J before = jobs.get(id);
    if (before != null) {
      boolean running;
      before.lock.lock();
      try {
        if (before.fold().state().isFinal()) {
          return; // this process itself ended it
        }
        running = !before.isForgotten() && before.isRunning();
        jobs.forget(before);
      } finally {
        before.lock.unlock();
      }
      if (running) {
        notifier.stopped(id);
      }
    }
    touch(id);
  }

  /** Another process has changed a job: its watchers hear of it, and its workers may have to stop. */
  public void changedElsewhere(JobId id) {
    J job = jobs.get(id);
    boolean ran = false;
    if (job != null) {
      job.lock.lock();
      try {
        if (!job.isForgotten() && !repository.isCurrent(job)) {
          ran = job.isRunning() && !job.stopsTasks();
          jobs.forget(job);
        }
      } finally {
        job.lock.unlock();
      }
    }
    if (ran && step(id, (now, _) -> now.stopsTasks()).orElse(true)) {
      notifier.stopped(id);
    }
    notifier.changed(id);
  }

  /** Drops the jobs that another process has changed: it may have ended them. */
  void forgetOutdated() {
    for (J job : repository.perhapsOutdated(jobs.all())) {
      if (job.lock.tryLock()) { // one that is in use is checked by its step
        try {
          if (!job.isForgotten() && !repository.isCurrent(job)) {
            jobs.forget(job);
          }
        } finally {
          job.lock.unlock();
        }
      }
    }
  }

  /** What takes a job away from the store; its lock is held. */
  @FunctionalInterface
  public interface TakeOut<J> {
    void run(J job) throws IOException;
  }

  /** Takes a job away as it is now; then nobody here knows it. */
  public void takeOut(JobId id, TakeOut<J> action) {
    step(
        id,
        (job, _) -> {
          action.run(job);
          jobs.forget(job);
          return id;
        });
    removed(id);
  }

  /** Drops a job that was deleted, or taken away. */
  public void removed(JobId id) {
    forget(id);
    quarantined.remove(id);
    counting.removed(id); // last: who had the job until now may have counted it
  }

  private void forget(JobId id) {
    J job = jobs.get(id);
    if (job != null) {
      job.lock.lock();
      try {
        jobs.forget(job);
      } finally {
        job.lock.unlock();
      }
    }
  }

  /** As {@link #step(JobId, Step)}, but the caller waits for {@code batch}. */
  <T> Optional<T> step(JobId id, StepBatch batch, Step<J, T> step) {
    return step(id, batch, step, true);
  }

  /**
   * @param checked whether a step that records nothing needs the job as it is now
   */
  private <T> Optional<T> step(JobId id, StepBatch batch, Step<J, T> step, boolean checked) {
    while (true) {
      J job = find(id, batch);
      if (job == null) {
        return Optional.empty();
      }
      job.lock.lock();
      try {
        boolean late = repository.refusesOutdatedSteps();
        if (isUsable(job) && !late && !repository.isCurrent(job)) {
          jobs.forget(job); // what a rule refuses must be refused of the job as it is now
        } else if (isUsable(job)) {
          JobUpdate update = new JobUpdate(job.fold(), repository.now(), job);
          T answer = step.apply(job, update);
          if (!update.entries().isEmpty()) {
            appended(job, repository.append(job, update), batch);
            return Optional.of(answer);
          }
          if (!checked || !late || repository.isCurrent(job)) {
            unchanged(job, batch);
            return Optional.of(answer);
          }
          jobs.forget(job);
        }
      } catch (ConcurrentUpdateException e) {
        jobs.forget(job); // and repeat the step on what the other process made of it
      } catch (IOException e) {
        forgetMovedOrThrow(job, e);
      } catch (UncheckedIOException e) {
        forgetMovedOrThrow(job, e.getCause());
      } catch (RuntimeException | Error e) {
        job.markBroken(); // what was recorded may not have been written
        dropAfter(job, e);
        throw e;
      } finally {
        job.lock.unlock();
      }
    }
  }

  /** The job in memory, for a step with it; null if there is none. */
  @Nullable J find(JobId id, StepBatch batch) {
    repository.requireIntact();
    fence.requireNotClosedByCaller();
    while (true) {
      try {
        J job = jobs.find(id, batch);
        if (job == null) {
          counting.missing(id);
        }
        return job;
      } catch (ConcurrentUpdateException e) {
        // another process has completed it at the same time
      }
    }
  }

  /** Whether the job's memory counts; one whose step failed is dropped. Its lock is held. */
  boolean isUsable(J job) {
    if (job.isBroken()) {
      drop(job); // whose step failed could not
    }
    return !job.isForgotten();
  }

  /** What a step recorded is appended; the job's lock is held. */
  void appended(J job, long commit, StepBatch batch) {
    committed(job, commit, batch);
    batch.changed().add(job.id());
    counting.changed(job.id(), job::counts);
    unchanged(job, batch);
  }

  /** A step has recorded nothing. */
  void unchanged(J job, StepBatch batch) {
    if (job.takeStopsTasks()) {
      batch.stopped().add(job.id());
    }
    keepOrForget(job);
  }

  private void committed(J job, long commit, StepBatch batch) {
    batch.addCommit(commit);
    lastCommit.accumulate(commit);
    job.committedIn(commit);
  }

  private void keepOrForget(J job) {
    if (job.isForgotten()) {
      return; // it was taken away
    }
    JobState state = job.fold().state();
    if (job.endedElsewhere() != null
        || state.isFinal() && job.owedAnswers().isEmpty()
        || state == JobState.PAUSED && !job.isRunning()) {
      jobs.forget(job);
    } else if (job.isIdle()) {
      idle.add(job);
    }
  }

  /** A job that someone has moved is read again where it is now, if it is still there. */
  private void forgetMovedOrThrow(J job, IOException e) {
    job.markBroken();
    StoreException problem = repository.failed(job, e);
    if (problem != null) {
      jobs.markInterrupted(job);
      throw problem;
    }
    jobs.forget(job);
  }

  /** Drops a job that may be ahead of its log. */
  private void drop(J job) {
    repository.failed(job, null);
    jobs.markInterrupted(job);
  }

  /** Drops it if it can; else the next step or sweep does. What was thrown first stays the reason. */
  void dropAfter(J job, Throwable reason) {
    try {
      drop(job);
    } catch (RuntimeException | Error further) {
      addSuppressed(reason, further);
    }
  }

  /** Reads a job and completes what a crash left unfinished; the caller has it alone. */
  private @Nullable J load(JobId id, StepBatch batch) {
    quarantined.requireWorthReading(id);
    try {
      J job = loadOrThrow(id, batch);
      if (quarantined.remove(id) && job != null) {
        counting.loaded(id, job::counts); // another thread may have counted it as unreadable
      }
      return job;
    } catch (StoreBrokenException | StoreException.Closed | ConcurrentUpdateException e) {
      throw e;
    } catch (StoreException e) {
      throw isOfOneJob(e) ? quarantine(id, e) : e;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      throw quarantine(id, e);
    }
  }

  /** Whether other jobs are not affected. */
  boolean isOfOneJob(StoreException e) {
    return e instanceof JobException || repository.isOfOneJob(e);
  }

  /**
   * Leaves a job alone from now on, because reading it has thrown that.
   *
   * @return what to throw
   */
  public JobException quarantine(JobId id, Throwable problem) {
    JobException e = quarantined.add(id, problem);
    counting.unreadable(id);
    if (!quarantined.contains(id)) {
      counting.recount(id); // another thread has read it in the meantime
    }
    return e;
  }

  /** Whether the job could not be read when it was last tried. */
  public boolean isQuarantined(JobId id) {
    return quarantined.contains(id);
  }

  /** A job could not be read for a reason that is not its own: the next sweep tries it again. */
  public void readLater(JobId id) {
    jobs.markInterrupted(id);
  }

  /** Reads jobs again that may be readable by now. */
  void readQuarantinedAgain() {
    for (JobId id : quarantined.due()) {
      try {
        Optional<J> read =
            step(
                id,
                (job, _) -> {
                  repository.index().put(job);
                  return job;
                });
        if (read.isPresent()) {
          LOG.log(Level.INFO, "job " + id + " can be read again");
        }
      } catch (StoreBrokenException | StoreException.Closed e) {
        throw e;
      } catch (RuntimeException | Error e) { // one job does not end the sweep of the others
        if (quarantined.contains(id)) {
          continue; // it stays there
        }
        readLater(id);
        quarantined.report(id, e);
      }
    }
  }

  private @Nullable J loadOrThrow(JobId id, StepBatch batch) {
    J job = repository.load(id);
    if (job == null) {
      return null;
    }
    try {
      job.committedIn(jobs.lastCommit(id)); // before it is moved: what was read may not be durable
      complete(job, batch);
      counting.loaded(id, job::counts);
      return job;
    } catch (IOException e) {
      return goneOrThrow(job, e);
    } catch (UncheckedIOException e) {
      return goneOrThrow(job, e.getCause());
    } catch (RuntimeException | Error e) {
      failedToComplete(job, e);
      throw e;
    }
  }

  /** The JVM may throw the same OutOfMemoryError again, which cannot suppress itself. */
  static void addSuppressed(Throwable reason, Throwable further) {
    if (further != reason) {
      reason.addSuppressed(further);
    }
  }

  /** What was appended is cut off, or read and completed, when the job is read next. */
  private void failedToComplete(J job, Throwable reason) {
    try {
      repository.failed(job, null);
      jobs.markInterrupted(job.id());
    } catch (RuntimeException | Error further) {
      addSuppressed(reason, further);
    }
  }

  private @Nullable J goneOrThrow(J job, IOException e) {
    StoreException problem = repository.failed(job, e);
    if (problem == null) {
      return null;
    }
    jobs.markInterrupted(job.id());
    throw problem;
  }

  private void complete(J job, StepBatch batch) throws IOException {
    Moment now = repository.now();
    Moment at = new Moment(job.reconciledAt(now.wall()), now.steady());
    JobUpdate update = new JobUpdate(job.fold(), at, job);
    job.reconcile(update);
    if (job.endedElsewhere() == null) {
      recover(job, update);
      update.runCascade();
    }
    committed(job, repository.append(job, update), batch);
    if (!update.entries().isEmpty()) {
      batch.changed().add(job.id());
    }
    repository.awaitDurable(job.commit());
    update.entries().forEach(entry -> report(job.id(), entry.fact()));
    if (!job.fold().state().isFinal() && job.endedElsewhere() == null) {
      restoreLeases(job);
    }
  }

  /** Releases the claims that processes have left which are gone. */
  void recover(J job, JobUpdate update) {
    ClaimRules.recover(update, repository::isOver, key -> progress(job, key));
  }

  /** How far the last claim of a task had come, as its journal shows. */
  AttemptProgress progress(J job, ClaimKey claim) {
    StageFold stage = job.fold().stage(claim.stage());
    TaskJournal journal = repository.readJournal(job, stage, claim.task());
    return claim.token().equals(journal.last())
        ? AttemptProgress.of(journal.grew(), journal.waits())
        : AttemptProgress.STARTED;
  }

  private void report(JobId id, Fact fact) {
    if (fact instanceof Fact.TaskChanged(int stage, int task, var event, Detail.Ended(var error))
        && event == TaskEvent.CEILING) {
      LOG.log(Level.WARNING, "job " + id + ": task " + stage + "/" + task + " failed: " + error);
    } else if (fact instanceof Fact.TaskChanged of && of.event() == TaskEvent.RELEASE) {
      released.increment();
    }
  }

  private void restoreLeases(J job) {
    Instant now = repository.now().steady();
    for (StageFold stage : job.fold().stages()) {
      int left = stage.count(TaskState.IN_PROGRESS);
      for (int task = 1; left > 0; task++) {
        TaskFold at = stage.task(task);
        if (at.state() == TaskState.IN_PROGRESS) {
          left--;
          TaskFold.LoggedClaim held = at.lastClaim();
          if (held != null && held.lease() != null) {
            ClaimKey key = new ClaimKey(stage.number(), task, held.token());
            repository.leases().restore(new JobClaimKey(job.id(), key), held.lease(), now);
          }
        }
      }
    }
  }
}

package dev.millrace.core.internal.store;

import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.store.JobRepository.Append;
import dev.millrace.core.job.JobId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Steps with several jobs, whose entries are appended together. Their locks are held until then;
 * none but the first is waited for, so that no two groups wait for each other. For one thread.
 *
 * @param <J> a job as its repository loads it
 */
final class StepGroup<J extends StoredJob> {
  private final JobRepository<J> repository;
  private final JobUpdater<J> updater;
  private final StepBatch batch;
  private final List<Pending<J>> pending = new ArrayList<>();

  /** A step whose entries are not appended yet. */
  private record Pending<J extends StoredJob>(J job, JobUpdate update, Consumer<Boolean> ended) {}

  /**
   * @param batch gets what the appends change
   */
  StepGroup(JobRepository<J> repository, JobUpdater<J> updater, StepBatch batch) {
    this.repository = repository;
    this.updater = updater;
    this.batch = batch;
  }

  /**
   * Takes a step, whose entries the next {@link #append} appends.
   *
   * @param ended called with the lock held: whether they were appended, or another process has
   *     changed the job
   * @return the answer; empty if there is no such job
   */
  <T extends Object> Optional<T> step(
      JobId id, JobUpdater.Step<J, T> step, Consumer<Boolean> ended) {
    while (true) {
      J job = updater.find(id, batch);
      if (job == null) {
        return Optional.empty();
      }
      lock(job);
      @Nullable T answer = null;
      boolean held = false;
      try {
        if (updater.isUsable(job) && repository.isKnownOutdated(job)) {
          updater.jobs().forget(job);
        } else if (updater.isUsable(job)) {
          JobUpdate update = new JobUpdate(job.fold(), repository.now(), job);
          answer = step.apply(job, update);
          held = !update.entries().isEmpty();
          if (held) {
            pending.add(new Pending<>(job, update, ended));
          } else if (repository.isCurrent(job)) {
            updater.unchanged(job, batch);
          } else {
            updater.jobs().forget(job);
            answer = null;
          }
        }
      } catch (ConcurrentUpdateException e) {
        updater.jobs().forget(job);
      } catch (IOException e) {
        UncheckedIOException problem = new UncheckedIOException(e);
        broken(job, problem);
        throw problem;
      } catch (RuntimeException | Error e) {
        broken(job, e);
        throw e;
      } finally {
        if (!held) {
          job.lock.unlock();
        }
      }
      if (answer != null) {
        return Optional.of(answer);
      }
    }
  }

  private void broken(J job, Throwable problem) {
    job.markBroken(); // what was recorded is not written
    updater.dropAfter(job, problem);
  }

  private void lock(J job) {
    boolean again = job.lock.isHeldByCurrentThread();
    if (again || !pending.isEmpty() && !job.lock.tryLock()) {
      append();
      job.lock.lock();
    } else if (pending.isEmpty()) {
      job.lock.lock();
    }
  }

  /** How many steps wait to be appended. */
  int size() {
    return pending.size();
  }

  /** Appends what the steps have recorded. If it throws, none of them counts. */
  void append() {
    List<Pending<J>> all = List.copyOf(pending);
    pending.clear();
    if (all.isEmpty()) {
      return;
    }
    try {
      List<Long> commits = appendAll(all);
      for (int i = 0; i < commits.size(); i++) {
        ended(all.get(i), commits.get(i));
      }
    } finally {
      all.forEach(each -> each.job().lock.unlock());
    }
  }

  private List<Long> appendAll(List<Pending<J>> all) {
    try {
      return repository.appendTogether(
          all.stream().map(each -> new Append<>(each.job(), each.update())).toList());
    } catch (IOException e) {
      UncheckedIOException problem = new UncheckedIOException(e);
      all.forEach(each -> broken(each.job(), problem));
      throw problem;
    } catch (RuntimeException | Error e) {
      all.forEach(each -> broken(each.job(), e));
      throw e;
    }
  }

  private void ended(Pending<J> step, long commit) {
    if (commit == 0) {
      updater.jobs().forget(step.job());
    } else {
      updater.appended(step.job(), commit, batch);
    }
    step.ended().accept(commit != 0);
  }

  /** Gives up what is not appended. */
  void discard() {
    for (Pending<J> each : pending) {
      each.job().markBroken();
      each.job().lock.unlock();
    }
    pending.clear();
  }
}

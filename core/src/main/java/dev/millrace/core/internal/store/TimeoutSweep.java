package dev.millrace.core.internal.store;

import dev.millrace.core.internal.lease.JobClaimKey;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import java.time.Instant;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Ends claims and waiting tasks whose time is over: run timeouts, queue timeouts, lost leases. */
final class TimeoutSweep<J extends StoredJob> {
  private final JobRepository<J> repository;
  private final JobUpdater<J> updater;
  private final QuarantinedJobs quarantined;
  private final RandomGenerator random;
  private final Instant now; // steady
  private int moved;

  TimeoutSweep(
      JobRepository<J> repository,
      JobUpdater<J> updater,
      QuarantinedJobs quarantined,
      RandomGenerator random) {
    this.repository = repository;
    this.updater = updater;
    this.quarantined = quarantined;
    this.random = random;
    this.now = repository.now().steady();
  }

  int run() {
    Map<JobId, Set<ClaimKey>> lost = repository.leases().expired(now);
    TreeSet<JobId> due = new TreeSet<>(lost.keySet());
    due.addAll(updater.jobs().interrupted());
    for (J job : updater.jobs().all()) {
      if (job.hasTimeouts() || job.isBroken()) {
        due.add(job.id());
      }
    }
    Set<JobId> overdue = new HashSet<>(repository.index().takeOverdue(now));
    due.addAll(overdue);
    StoreException trouble = null;
    for (JobId id : due) {
      try {
        sweep(id, lost.getOrDefault(id, Set.of()), overdue.contains(id));
      } catch (StoreBrokenException | StoreException.Closed e) {
        throw e;
      } catch (RuntimeException | Error e) {
        repository.index().keepOverdue(id, now); // the next sweep tries again
        if (e instanceof StoreException store && !updater.isOfOneJob(store)) {
          trouble = store;
        } else {
          quarantined.report(id, e);
        }
      }
    }
    if (trouble != null) {
      throw trouble;
    }
    return moved;
  }

  private void sweep(JobId id, Set<ClaimKey> lost, boolean recover) {
    int[] ended = {0};
    updater.step(
        id,
        (job, update) -> {
          ended[0] = 0; // the step may be repeated
          if (job.endedElsewhere() != null) {
            return job;
          }
          if (recover) {
            updater.recover(job, update);
          }
          for (StageFold stage : update.fold().stages()) {
            ended[0] += stage(update, job, stage, lost);
          }
          job.owedAnswers()
              .removeIf(key -> lost.contains(key) && isOver(id, key)); // its worker is silent
          if (recover && update.entries().isEmpty()) {
            repository.index().notDue(job);
          }
          return job;
        });
    moved += ended[0];
    lost.forEach(key -> repository.leases().endIfOver(new JobClaimKey(id, key), now));
  }

  private boolean isOver(JobId id, ClaimKey key) {
    return repository.leases().isOver(new JobClaimKey(id, key), now);
  }

  /** Sweeps a job's tasks in order; all of them only if the job has timeouts. */
  private int stage(JobUpdate update, J job, StageFold stage, Set<ClaimKey> lost) {
    Map<Integer, ClaimKey> held = new TreeMap<>();
    for (ClaimKey key : lost) {
      if (key.stage() == stage.number()) {
        held.put(key.task(), key);
      }
    }
    int ended = 0;
    if (stage.plan().policy().hasTimeouts()) {
      for (int task = 1; task <= stage.size(); task++) {
        Outcome timeout = timeout(update, stage, task);
        if (timeout != null) {
          ended += timeout.isDone() ? 1 : 0;
        } else if (held.containsKey(task)) {
          ended += lose(update, job, held.get(task));
        }
      }
    } else {
      for (ClaimKey key : held.values()) {
        ended += lose(update, job, key);
      }
    }
    return ended;
  }

  /** Ends a claim, unless it was renewed or answered in the meantime. */
  private int lose(JobUpdate update, J job, ClaimKey key) {
    return isOver(job.id(), key)
            && ClaimRules.signal(update.fold(), key).isPresent()
            && ClaimRules.recordLoss(
                    update, key, ClaimRules.WorkerLoss.LEASE, updater.progress(job, key))
                .isDone()
        ? 1
        : 0;
  }

  /** The outcome of the rule for a task whose time is over; null if it is not. */
  private @Nullable Outcome timeout(JobUpdate update, StageFold stage, int task) {
    int number = stage.number();
    if (isDue(ClaimRules.runDeadline(update.fold(), number, task))) {
      return ClaimRules.failOverrun(update, number, task, random.nextDouble());
    }
    return isDue(ClaimRules.queueDeadline(update.fold(), number, task))
        ? ClaimRules.expire(update, number, task)
        : null;
  }

  private boolean isDue(@Nullable Instant deadline) {
    return deadline != null && !now.isBefore(deadline);
  }
}

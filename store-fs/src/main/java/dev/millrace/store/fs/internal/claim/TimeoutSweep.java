package dev.millrace.store.fs.internal.claim;

import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.ActiveJob;
import dev.millrace.store.fs.internal.jobs.JobClaimKey;
import dev.millrace.store.fs.internal.jobs.JobWriter;
import dev.millrace.store.fs.internal.jobs.Leases;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** Ends claims and waiting tasks whose time is over: run timeouts, queue timeouts, lost leases. */
public final class TimeoutSweep {
  private final JobWriter writer;
  private final ClaimQueue queue;
  private final Leases leases;
  private final SkippedJobs left;
  private final RandomGenerator random;
  private final Instant now;
  private int moved;

  public TimeoutSweep(
      JobWriter writer, ClaimQueue queue, Leases leases, SkippedJobs left, RandomGenerator random) {
    this.writer = writer;
    this.queue = queue;
    this.leases = leases;
    this.left = left;
    this.random = random;
    this.now = writer.now();
  }

  public int run() {
    Map<JobId, Set<ClaimKey>> lost = leases.expired(now);
    TreeSet<JobId> due = new TreeSet<>(lost.keySet());
    due.addAll(writer.jobs().interrupted());
    for (ActiveJob job : writer.jobs().active()) {
      if (job.hasTimeouts()) {
        due.add(job.id());
      }
    }
    for (JobId id = queue.overdue(now); id != null; id = queue.overdue(now)) {
      due.add(id);
    }
    StoreException trouble = null;
    for (JobId id : due) {
      try {
        sweep(id, lost.getOrDefault(id, Set.of()));
      } catch (StoreBrokenException e) {
        throw e;
      } catch (RuntimeException e) {
        queue.expireAt(now, id); // the next sweep tries again
        if (e instanceof StoreException store && !StoreErrors.isOfOneJob(store)) {
          trouble = store;
        } else {
          left.report(id, e);
        }
      }
    }
    if (trouble != null) {
      throw trouble;
    }
    return moved;
  }

  private void sweep(JobId id, Set<ClaimKey> lost) {
    writer.step(
        id,
        (job, unsynced) -> {
          writer.record(
              job,
              unsynced,
              update -> {
                update.fold().stages().forEach(stage -> stage(update, job, stage, lost));
                return Outcome.DONE;
              });
          return writer.finish(job, unsynced);
        });
    for (ClaimKey key : lost) {
      JobClaimKey claimKey = new JobClaimKey(id, key);
      if (leases.endIfOver(claimKey, now)) {
        writer.endedClaims().end(claimKey); // its worker is silent, so no answer is kept for it
      }
    }
  }

  /** Sweeps a job's tasks in order; all of them only if the job has timeouts. */
  private void stage(JobUpdate update, ActiveJob job, StageFold stage, Set<ClaimKey> lost) {
    Map<Integer, ClaimKey> holds = new TreeMap<>();
    for (ClaimKey key : lost) {
      if (key.stage() == stage.number()) {
        holds.put(key.task(), key);
      }
    }
    if (stage.plan().policy().hasTimeouts()) {
      for (int task = 1; task <= stage.size(); task++) {
        if (!timeout(update, stage, task) && holds.containsKey(task)) {
          lose(update, job, holds.get(task));
        }
      }
    } else {
      holds.values().forEach(key -> lose(update, job, key));
    }
  }

  private void lose(JobUpdate update, ActiveJob job, ClaimKey key) {
    if (leases.isOver(new JobClaimKey(job.id(), key), now)
        && ClaimRules.checkFence(update.fold(), key)
            .isDone()) { // else it was renewed or answered in the meantime
      moved +=
          ClaimRules.recordLoss(update, key, ClaimRules.WorkerLoss.LEASE, job.attemptProgress(key))
                  .isDone()
              ? 1
              : 0;
    }
  }

  private boolean timeout(JobUpdate update, StageFold stage, int task) {
    int number = stage.number();
    if (over(ClaimRules.runDeadline(update.fold(), number, task))) {
      moved += ClaimRules.failOverrun(update, number, task, random.nextDouble()).isDone() ? 1 : 0;
      return true;
    }
    if (over(ClaimRules.queueDeadline(update.fold(), number, task))) {
      moved += ClaimRules.expire(update, number, task).isDone() ? 1 : 0;
      return true;
    }
    return false;
  }

  private boolean over(@Nullable Instant deadline) {
    return deadline != null && !now.isBefore(deadline);
  }
}

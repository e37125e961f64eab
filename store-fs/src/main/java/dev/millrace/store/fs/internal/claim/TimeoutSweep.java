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

/** What time brings about: run timeouts, queue timeouts, lost leases. */
public final class TimeoutSweep {
  private final JobWriter ledger;
  private final ClaimQueue queue;
  private final Leases leases;
  private final SkippedJobs left;
  private final RandomGenerator random;
  private final Instant now;
  private int moved;

  public TimeoutSweep(
      JobWriter ledger, ClaimQueue queue, Leases leases, SkippedJobs left, RandomGenerator random) {
    this.ledger = ledger;
    this.queue = queue;
    this.leases = leases;
    this.left = left;
    this.random = random;
    this.now = ledger.now();
  }

  public int run() {
    Map<JobId, Set<ClaimKey>> lost = leases.expired(now);
    TreeSet<JobId> due = new TreeSet<>(lost.keySet());
    due.addAll(ledger.jobs().interrupted());
    for (ActiveJob job : ledger.jobs().active()) {
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
        queue.expireAt(now, id); // the next sweep comes back to it
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
    ledger.step(
        id,
        (job, dirty) -> {
          ledger.record(
              job,
              dirty,
              turn -> {
                turn.fold().stages().forEach(stage -> stage(turn, job, stage, lost));
                return Outcome.DONE;
              });
          return ledger.finish(job, dirty);
        });
    for (ClaimKey hold : lost) {
      JobClaimKey holding = new JobClaimKey(id, hold);
      if (leases.endIfOver(holding, now)) {
        ledger.endedClaims().end(holding); // nobody comes back to be told that its job has ended
      }
    }
  }

  /** In the order of its tasks; of all of them only where time can tell on any. */
  private void stage(JobUpdate turn, ActiveJob job, StageFold stage, Set<ClaimKey> lost) {
    Map<Integer, ClaimKey> holds = new TreeMap<>();
    for (ClaimKey hold : lost) {
      if (hold.stage() == stage.number()) {
        holds.put(hold.task(), hold);
      }
    }
    if (stage.plan().policy().hasTimeouts()) {
      for (int task = 1; task <= stage.size(); task++) {
        if (!timeout(turn, stage, task) && holds.containsKey(task)) {
          lose(turn, job, holds.get(task));
        }
      }
    } else {
      holds.values().forEach(hold -> lose(turn, job, hold));
    }
  }

  private void lose(JobUpdate turn, ActiveJob job, ClaimKey hold) {
    if (leases.isOver(new JobClaimKey(job.id(), hold), now)
        && ClaimRules.checkFence(turn.fold(), hold)
            .isDone()) { // else it was renewed or answered meanwhile
      moved +=
          ClaimRules.recordLoss(turn, hold, ClaimRules.WorkerLoss.LEASE, job.attemptProgress(hold))
                  .isDone()
              ? 1
              : 0;
    }
  }

  private boolean timeout(JobUpdate turn, StageFold stage, int task) {
    int number = stage.number();
    if (over(ClaimRules.runDeadline(turn.fold(), number, task))) {
      moved += ClaimRules.failOverrun(turn, number, task, random.nextDouble()).isDone() ? 1 : 0;
      return true;
    }
    if (over(ClaimRules.queueDeadline(turn.fold(), number, task))) {
      moved += ClaimRules.expire(turn, number, task).isDone() ? 1 : 0;
      return true;
    }
    return false;
  }

  private boolean over(@Nullable Instant deadline) {
    return deadline != null && !now.isBefore(deadline);
  }
}

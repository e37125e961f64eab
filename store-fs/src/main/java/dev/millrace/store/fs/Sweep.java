package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.store.StoreBroken;
import dev.millrace.core.store.StoreException;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What time brings about: run timeouts, queue timeouts, lost leases. */
final class Sweep {
  private final Ledger ledger;
  private final ClaimQueue queue;
  private final Leases leases;
  private final LeftAlone left;
  private final RandomGenerator random;
  private final Instant now;
  private int moved;

  Sweep(Ledger ledger, ClaimQueue queue, Leases leases, LeftAlone left, RandomGenerator random) {
    this.ledger = ledger;
    this.queue = queue;
    this.leases = leases;
    this.left = left;
    this.random = random;
    this.now = ledger.now();
  }

  int run() {
    Map<JobId, Set<Hold>> lost = leases.expired(now);
    TreeSet<JobId> due = new TreeSet<>(lost.keySet());
    due.addAll(ledger.jobs().interrupted());
    for (ActiveJob job : ledger.jobs().active()) {
      if (job.timeouts()) {
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
      } catch (StoreBroken e) {
        throw e;
      } catch (RuntimeException e) {
        queue.expireAt(now, id); // the next sweep comes back to it
        if (e instanceof StoreException store && !Failures.isOfOneJob(store)) {
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

  private void sweep(JobId id, Set<Hold> lost) {
    ledger.step(
        id,
        (job, dirty) -> {
          ledger.record(
              job,
              dirty,
              turn -> {
                turn.fold().stages().forEach(stage -> stage(turn, job, stage, lost));
                return Answer.DONE;
              });
          return ledger.finish(job, dirty);
        });
    for (Hold hold : lost) {
      Holding holding = new Holding(id, hold);
      if (leases.endIfOver(holding, now)) {
        ledger.orphans().end(holding); // nobody comes back to be told that its job has ended
      }
    }
  }

  /** In the order of its tasks; of all of them only where time can tell on any. */
  private void stage(Turn turn, ActiveJob job, StageFold stage, Set<Hold> lost) {
    Map<Integer, Hold> holds = new TreeMap<>();
    for (Hold hold : lost) {
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

  private void lose(Turn turn, ActiveJob job, Hold hold) {
    if (leases.isOver(new Holding(job.id(), hold), now)
        && Claims.check(turn.fold(), hold).done()) { // else it was renewed or answered meanwhile
      moved += Claims.lose(turn, hold, Claims.Loss.LEASE, job.trace(hold)).done() ? 1 : 0;
    }
  }

  private boolean timeout(Turn turn, StageFold stage, int task) {
    int number = stage.number();
    if (over(Claims.runDeadline(turn.fold(), number, task))) {
      moved += Claims.overrun(turn, number, task, random.nextDouble()).done() ? 1 : 0;
      return true;
    }
    if (over(Claims.queueDeadline(turn.fold(), number, task))) {
      moved += Claims.expire(turn, number, task).done() ? 1 : 0;
      return true;
    }
    return false;
  }

  private boolean over(@Nullable Instant deadline) {
    return deadline != null && !now.isBefore(deadline);
  }
}

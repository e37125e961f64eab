package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.StoreBroken;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Token;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What time brings about: run timeouts, queue timeouts, lost leases. */
final class Sweep {
  private final Ledger ledger;
  private final ClaimQueue queue;
  private final Leases leases;
  private final RandomGenerator random;
  private final Instant now;
  private int moved;

  Sweep(Ledger ledger, ClaimQueue queue, Leases leases, RandomGenerator random) {
    this.ledger = ledger;
    this.queue = queue;
    this.leases = leases;
    this.random = random;
    this.now = ledger.now();
  }

  int run() {
    Map<JobId, List<Claim>> lost = leases.expired(now);
    TreeSet<JobId> due = new TreeSet<>(lost.keySet());
    due.addAll(ledger.interrupted());
    for (ActiveJob job : ledger.active()) {
      if (job.files().plan().hasTimeouts()) {
        due.add(job.id());
      }
    }
    for (JobId id = queue.overdue(now); id != null; id = queue.overdue(now)) {
      due.add(id);
    }
    StoreException trouble = null;
    for (JobId id : due) {
      try {
        sweep(id, lost.getOrDefault(id, List.of()));
      } catch (StoreBroken e) {
        throw e;
      } catch (StoreException e) {
        queue.expireAt(now, id); // the next sweep comes back to it
        trouble = e;
      }
    }
    if (trouble != null) {
      throw trouble;
    }
    return moved;
  }

  private void sweep(JobId id, List<Claim> lost) {
    Set<Hold> holds = lost.stream().map(Claim::hold).collect(Collectors.toSet());
    ledger.step(
        id,
        (job, dirty) -> {
          ledger.record(
              job,
              dirty,
              turn -> {
                for (StageFold stage : turn.fold().stages()) {
                  if (!holds.isEmpty() || stage.plan().policy().hasTimeouts()) {
                    for (int task = 1; task <= stage.size(); task++) {
                      task(turn, job, stage, task, holds);
                    }
                  }
                }
                return Answer.DONE;
              });
          return ledger.finish(job, dirty);
        });
    lost.forEach(leases::end);
  }

  private void task(Turn turn, ActiveJob job, StageFold stage, int task, Set<Hold> lost) {
    int number = stage.number();
    Token token = stage.task(task).token();
    if (over(Claims.runDeadline(turn.fold(), number, task))) {
      moved += Claims.overrun(turn, number, task, random.nextDouble()).done() ? 1 : 0;
      Instant notBefore = stage.task(task).notBefore();
      if (notBefore != null) {
        queue.wakeAt(notBefore);
      }
    } else if (over(Claims.queueDeadline(turn.fold(), number, task))) {
      moved += Claims.expire(turn, number, task).done() ? 1 : 0;
    } else if (token != null && lost.contains(new Hold(number, task, token))) {
      Hold hold = new Hold(number, task, token);
      moved += Claims.lose(turn, hold, "lost lease", job.trace(hold)).done() ? 1 : 0;
    }
  }

  private boolean over(@Nullable Instant deadline) {
    return deadline != null && !now.isBefore(deadline);
  }
}

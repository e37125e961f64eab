package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.store.Claim;
import java.io.IOException;
import java.time.Instant;
import java.util.random.RandomGenerator;
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
    for (ActiveJob job : ledger.active()) {
      if (job.files().plan().hasTimeouts()) {
        ledger.step(job.id(), this::timeouts);
      }
    }
    for (JobId id = queue.overdue(now); id != null; id = queue.overdue(now)) {
      ledger.step(id, this::timeouts);
    }
    for (Claim claim : leases.takeExpired(now)) {
      ledger.step(claim.job(), (job, dirty) -> count(ledger.record(job, dirty,
          turn -> Claims.lose(turn, claim.hold(), "lost lease")), job, dirty));
    }
    return moved;
  }

  private Answer count(Answer answer, ActiveJob job, Dirty dirty) throws IOException {
    moved += answer.done() ? 1 : 0;
    ledger.finish(job, dirty);
    return answer;
  }

  private Answer timeouts(ActiveJob job, Dirty dirty) throws IOException {
    ledger.record(job, dirty, turn -> {
      for (StageFold stage : turn.fold().stages()) {
        if (stage.plan().policy().hasTimeouts()) {
          for (int task = 1; task <= stage.size(); task++) {
            timeout(turn, stage, task);
          }
        }
      }
      return Answer.DONE;
    });
    ledger.finish(job, dirty);
    return Answer.DONE;
  }

  private void timeout(Turn turn, StageFold stage, int task) {
    int number = stage.number();
    if (over(turn, Claims.runDeadline(turn.fold(), number, task))) {
      moved += Claims.overrun(turn, number, task, random.nextDouble()).done() ? 1 : 0;
      Instant notBefore = stage.task(task).notBefore();
      if (notBefore != null) {
        queue.wakeAt(notBefore);
      }
    } else if (over(turn, Claims.queueDeadline(turn.fold(), number, task))) {
      moved += Claims.expire(turn, number, task).done() ? 1 : 0;
    }
  }

  /** By the job's time, as the rules have it: a clock that was set back has no say. */
  private static boolean over(Turn turn, @Nullable Instant deadline) {
    return deadline != null && !turn.now().isBefore(deadline);
  }
}

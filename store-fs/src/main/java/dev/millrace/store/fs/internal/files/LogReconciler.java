package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Where a job's place and its log disagree, the place is right about the job and the log about its
 * stages and tasks. This records the entries that the place proves and the log lacks.
 */
final class LogReconciler {
  private LogReconciler() {}

  /**
   * @param op what a user last wanted; null if nothing is known
   * @param error what a job that failed elsewhere has to say
   */
  static void run(
      JobUpdate turn, JobState place, @Nullable PendingTransition op, Supplier<String> error) {
    JobFold fold = turn.fold();
    if (fold.state() == place || fold.state().isFinal()) {
      return;
    }
    Cause cause =
        op != null && op.to() == place && !fold.hasRequest(op.id())
            ? op.cause()
            : Cause.user(null, "moved by hand");
    switch (place) {
      case PAUSED -> lever(turn, JobEvent.PAUSE, cause);
      case ABORTED -> lever(turn, JobEvent.ABORT, cause);
      case PENDING -> lever(turn, JobEvent.RESUME, cause);
      case IN_PROGRESS -> {
        lever(turn, JobEvent.RESUME, cause);
        if (fold.state() == JobState.PENDING) {
          turn.record(new Fact.JobChanged(JobEvent.BEGIN, Cause.SYSTEM));
        }
      }
      case COMPLETED, FAILED -> finishedElsewhere(turn, place, error);
      case CREATED -> throw new IllegalStateException("a job in writing/ is not a job yet");
    }
  }

  private static void lever(JobUpdate turn, JobEvent event, Cause cause) {
    if (JobTransitions.TABLE.next(turn.fold().state(), event).isPresent()) {
      turn.record(new Fact.JobChanged(event, cause));
      turn.runCascade();
    }
  }

  /** Another daemon that knows no log worked the job off: a plain prompt, so one task. */
  private static void finishedElsewhere(JobUpdate turn, JobState place, Supplier<String> error) {
    JobFold fold = turn.fold();
    if (fold.stageCount() != 1 || fold.stage(1).size() != 1) {
      return;
    }
    if (fold.state() == JobState.PAUSED) {
      lever(turn, JobEvent.RESUME, Cause.user(null, "moved by hand"));
    }
    if (fold.stage(1).state() == StageState.WAITING) {
      turn.record(
          new Fact.StageChanged(1, StageEvent.APPROVE, Cause.user(null, "moved by hand"), null));
    }
    if (ClaimRules.claim(turn, 1, 1, new Detail.Claimed(0, "another daemon")).isDone()) {
      ClaimKey hold = new ClaimKey(1, 1, fold.stage(1).task(1).token());
      if (place == JobState.COMPLETED) {
        ClaimRules.complete(turn, hold, new Detail.Completed(0, 0));
      } else {
        ClaimRules.fail(turn, hold, Failure.permanent(error.get()), 0);
      }
    }
  }
}

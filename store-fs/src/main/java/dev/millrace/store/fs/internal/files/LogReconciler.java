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
 * Reconciles a job's directory and its log. If they disagree, the directory is right about the job,
 * and the log about its stages and tasks. Records the entries that the directory proves and the log
 * lacks.
 */
final class LogReconciler {
  private LogReconciler() {}

  /**
   * @param op the last transition that a user requested; null if none is known
   * @param error gives the error of a job that failed elsewhere
   */
  static void run(
      JobUpdate update,
      JobState directoryState,
      @Nullable PendingTransition op,
      Supplier<String> error) {
    JobFold fold = update.fold();
    if (fold.state() == directoryState || fold.state().isFinal()) {
      return;
    }
    Cause cause =
        op != null && op.to() == directoryState && !fold.hasRequest(op.id())
            ? op.cause()
            : Cause.user(null, "moved by hand");
    switch (directoryState) {
      case PAUSED -> lever(update, JobEvent.PAUSE, cause);
      case ABORTED -> lever(update, JobEvent.ABORT, cause);
      case PENDING -> lever(update, JobEvent.RESUME, cause);
      case IN_PROGRESS -> {
        lever(update, JobEvent.RESUME, cause);
        if (fold.state() == JobState.PENDING) {
          update.record(new Fact.JobChanged(JobEvent.BEGIN, Cause.SYSTEM));
        }
      }
      case COMPLETED, FAILED -> finishedElsewhere(update, directoryState, error);
      case CREATED -> throw new IllegalStateException("a job in writing/ is not a job yet");
    }
  }

  private static void lever(JobUpdate update, JobEvent event, Cause cause) {
    if (JobTransitions.TABLE.next(update.fold().state(), event).isPresent()) {
      update.record(new Fact.JobChanged(event, cause));
      update.runCascade();
    }
  }

  /** Another daemon that writes no log processed the job: a plain prompt, so one task. */
  private static void finishedElsewhere(
      JobUpdate update, JobState directoryState, Supplier<String> error) {
    JobFold fold = update.fold();
    if (fold.stageCount() != 1 || fold.stage(1).size() != 1) {
      return;
    }
    if (fold.state() == JobState.PAUSED) {
      lever(update, JobEvent.RESUME, Cause.user(null, "moved by hand"));
    }
    if (fold.stage(1).state() == StageState.WAITING) {
      update.record(
          new Fact.StageChanged(1, StageEvent.APPROVE, Cause.user(null, "moved by hand"), null));
    }
    if (ClaimRules.claim(update, 1, 1, new Detail.Claimed(0, "another daemon")).isDone()) {
      ClaimKey key = new ClaimKey(1, 1, fold.stage(1).task(1).token());
      if (directoryState == JobState.COMPLETED) {
        ClaimRules.complete(update, key, new Detail.Completed(0, 0));
      } else {
        ClaimRules.fail(update, key, Failure.permanent(error.get()), 0);
      }
    }
  }
}

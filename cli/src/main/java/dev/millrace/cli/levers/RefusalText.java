package dev.millrace.cli.levers;

import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import org.jspecify.annotations.Nullable;

/**
 * Why a job does not take a lever, in words for the user who pulled it: what is not the case, and
 * what is. The transition tables decide; they name events that no user can send.
 */
final class RefusalText {
  private RefusalText() {}

  /** Why the job as it is now refuses the lever; null if it would take it. */
  static @Nullable String of(JobView job, Lever lever) {
    return switch (lever) {
      case Lever.Approve(int stage) -> ofApproval(job, stage);
      case Lever.Pause _, Lever.Resume _, Lever.Abort _ when job.state().isFinal() ->
          "the job has ended; it is " + job.state();
      case Lever.Pause _ -> job.state() == JobState.PAUSED ? "the job is paused already" : null;
      case Lever.Resume _ ->
          job.state() == JobState.PAUSED ? null : "the job is not paused; it is " + job.state();
      default -> null;
    };
  }

  private static @Nullable String ofApproval(JobView job, int number) {
    int count = job.stages().size();
    if (number < 1 || number > count) {
      return "there is no stage "
          + number
          + "; the job has "
          + count
          + (count == 1 ? " stage" : " stages");
    }
    StageState state = job.stages().get(number - 1).state();
    if (state != StageState.WAITING) {
      return "stage " + number + " is not at a gate; it is " + state;
    }
    if (job.state().isFinal()) {
      return "the job has ended; it is " + job.state();
    }
    StageState previous = number == 1 ? null : job.stages().get(number - 2).state();
    return previous == null || previous == StageState.COMPLETED
        ? null
        : "stage " + number + " cannot be approved yet; stage " + (number - 1) + " is " + previous;
  }
}

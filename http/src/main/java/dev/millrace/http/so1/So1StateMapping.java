package dev.millrace.http.so1;

import dev.millrace.api.So1State;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobView;
import dev.millrace.http.route.Problem;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Maps the states of a job in the store to those of so1. so1 has no paused state: a paused job is
 * pending before its start and running after it.
 */
final class So1StateMapping {
  private So1StateMapping() {}

  /** A job that has started is running until it ends, even while it waits. */
  static So1State of(JobView view) {
    return switch (view.state()) {
      case COMPLETED -> So1State.SUCCESS;
      case FAILED -> So1State.FAILED;
      case ABORTED -> So1State.CANCELLED;
      case IN_PROGRESS -> So1State.RUNNING;
      case CREATED, PENDING, PAUSED ->
          view.startedAt() == null ? So1State.PENDING : So1State.RUNNING;
    };
  }

  /** The states in the store that a job of {@code state} may have. */
  static Set<JobState> storeStates(So1State state) {
    return switch (state) {
      case PENDING -> EnumSet.of(JobState.CREATED, JobState.PENDING, JobState.PAUSED);
      case RUNNING -> EnumSet.of(JobState.IN_PROGRESS, JobState.PAUSED);
      case SUCCESS -> EnumSet.of(JobState.COMPLETED);
      case FAILED -> EnumSet.of(JobState.FAILED);
      case CANCELLED -> EnumSet.of(JobState.ABORTED);
    };
  }

  /**
   * @throws Problem if there is no such state
   */
  static So1State parse(String word) {
    for (So1State state : So1State.values()) {
      if (state.word().equals(word)) {
        return state;
      }
    }
    throw new Problem(
        Problem.Kind.INVALID,
        "state \""
            + word
            + "\" is not known; known: "
            + Arrays.stream(So1State.values())
                .map(So1State::word)
                .collect(Collectors.joining(", ")));
  }
}

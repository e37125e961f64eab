package dev.millrace.http.so1;

import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobView;
import dev.millrace.http.route.Problem;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A job's state in the words of so1. A pause does not show: the job waits, or goes on running. */
enum So1StateMapping {
  PENDING(JobState.CREATED, JobState.PENDING, JobState.PAUSED),
  RUNNING(JobState.IN_PROGRESS, JobState.PAUSED),
  SUCCESS(JobState.COMPLETED),
  FAILED(JobState.FAILED),
  CANCELLED(JobState.ABORTED);

  private final Set<JobState> among;

  So1StateMapping(JobState first, JobState... more) {
    this.among = EnumSet.of(first, more);
  }

  /** The states in which a job may be that shows so. */
  Set<JobState> storeStates() {
    return among;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  boolean isFinal() {
    return this == SUCCESS || this == FAILED || this == CANCELLED;
  }

  /** Once a job has begun, it is running until it ends, whatever it waits for. */
  static So1StateMapping of(JobView view) {
    return switch (view.state()) {
      case COMPLETED -> SUCCESS;
      case FAILED -> FAILED;
      case ABORTED -> CANCELLED;
      case IN_PROGRESS -> RUNNING;
      case CREATED, PENDING, PAUSED -> view.startedAt() == null ? PENDING : RUNNING;
    };
  }

  /**
   * @throws Problem if there is no such state
   */
  static So1StateMapping parse(String word) {
    for (So1StateMapping state : values()) {
      if (state.word().equals(word)) {
        return state;
      }
    }
    throw new Problem(
        Problem.Kind.INVALID,
        "state \""
            + word
            + "\" is not known; known: "
            + Arrays.stream(values()).map(So1StateMapping::word).collect(Collectors.joining(", ")));
  }
}

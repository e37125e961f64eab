package dev.millrace.cli.format;

import dev.millrace.cli.place.Place;
import dev.millrace.core.Flow.Status;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;

/**
 * The states of jobs and tasks as people read them. A server that stops gives its tasks back: in
 * the log they were begun, but nothing runs, and no attempt has failed.
 */
public final class ShownStatus {
  private ShownStatus() {}

  /** What a job does: without a server, none runs. */
  public static Status of(Place place, JobState state) {
    Status status = Status.of(state);
    return status == Status.RUNNING && !place.owner().held() ? Status.QUEUED : status;
  }

  /** The state of a task; one that was given back waits like a new one. */
  public static TaskState of(TaskView task) {
    return task.state() == TaskState.RETRIED && task.attempts() == 0
        ? TaskState.PENDING
        : task.state();
  }
}

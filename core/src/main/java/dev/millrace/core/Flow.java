package dev.millrace.core;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads jobs: their state, results and log. Thread-safe. */
public final class Flow {

  /** A job's state as a queue user sees it. */
  public enum Status {
    QUEUED,
    RUNNING,
    PAUSED,
    DONE,
    FAILED,
    CANCELLED,
    /** There is no such job: never submitted, deleted, or mistyped. */
    MISSING;

    public static Status of(JobState state) {
      return switch (state) {
        case CREATED, PENDING -> QUEUED;
        case IN_PROGRESS -> RUNNING;
        case PAUSED -> PAUSED;
        case COMPLETED -> DONE;
        case FAILED -> FAILED;
        case ABORTED -> CANCELLED;
      };
    }

    public boolean isFinal() {
      return this == DONE || this == FAILED || this == CANCELLED || this == MISSING;
    }
  }

  /**
   * A job with its results.
   *
   * @param results of the last stage's tasks by number, null for a task without one
   * @param error why it failed
   */
  public record Job(
      JobId id,
      Status status,
      JobView view,
      List<@Nullable TaskResult> results,
      @Nullable String error) {

    /** The text of the only result; null if there is none or more than one. */
    public @Nullable String result() {
      TaskResult only = results.size() == 1 ? results.getFirst() : null;
      return only == null ? null : only.text();
    }
  }

  private static final int PAGE = 1_000;

  private final JobReader store;

  public Flow(JobReader store) {
    this.store = store;
  }

  public Status status(JobId id) {
    return store.state(id).map(Status::of).orElse(Status.MISSING);
  }

  /** The job with its results so far; empty if it is missing. */
  public Optional<Job> get(JobId id) {
    return store
        .find(id)
        .map(
            view -> {
              int last = view.stages().size(); // an open job may not have any yet
              List<@Nullable TaskResult> results = new java.util.ArrayList<>();
              String error = view.error();
              for (int from = 1; ; from += PAGE) {
                List<TaskView> page = store.tasks(id, last, from, PAGE);
                for (TaskView task : page) {
                  results.add(task.result());
                  if (task.error() != null
                      && view.stages().size() == 1
                      && view.stages().getFirst().total() == 1
                      && view.state() == JobState.FAILED) {
                    error = task.error();
                  }
                }
                if (page.size() < PAGE) {
                  break;
                }
              }
              return new Job(id, Status.of(view.state()), view, results, error);
            });
  }

  /** The newest {@code max} jobs, oldest first. */
  public List<JobId> list(int max) {
    return store.list(JobReader.Query.all().newest(max));
  }

  /** The jobs in these states, oldest first. */
  public List<JobId> list(Set<JobState> states) {
    return store.list(JobReader.Query.in(states));
  }

  public Map<JobState, Integer> counts() {
    return store.counts();
  }

  /** A waiting job's position in the queue; empty if it does not wait. */
  public Optional<JobReader.QueuePosition> queuePosition(JobId id) {
    return store.queuePosition(id);
  }

  /**
   * What a task has generated so far, from position {@code from} on: 0 at first, then
   * {@link JobReader.OutputSoFar#next} of the previous call. Call it some tens of times a second to
   * follow a task.
   */
  public JobReader.OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    return store.outputSoFar(id, stage, task, from);
  }

  /**
   * Waits until the job has ended or is missing.
   *
   * @param atMost the longest wait; the status then is returned
   */
  public Status await(JobId id, Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    while (true) {
      Status status = status(id);
      long left = end - System.nanoTime();
      if (status.isFinal() || left <= 0) {
        return status;
      }
      // Bounded: a change between the two lines above wakes nobody.
      store.awaitChange(id, Duration.ofNanos(Math.min(left, 1_000_000_000L)));
    }
  }

  /**
   * Follows a job's log after entry {@code after} until the job has ended and every entry was
   * passed on.
   *
   * @return the number of the last entry
   */
  public long follow(JobId id, long after, Consumer<LogEntry> reader) throws InterruptedException {
    long seen = after;
    while (true) {
      boolean ended = status(id).isFinal();
      List<LogEntry> page = store.events(id, seen, PAGE);
      for (LogEntry entry : page) {
        reader.accept(entry);
        seen = entry.number();
      }
      if (page.isEmpty()) {
        if (ended) {
          return seen;
        }
        store.awaitChange(id, Duration.ofSeconds(1));
      }
    }
  }
}

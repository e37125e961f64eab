package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a worker tells of itself. */
public sealed interface WorkerEvent {

  /** Told before {@link Worker#start} returns. */
  record Started() implements WorkerEvent {}

  /** No more tasks are claimed. */
  record Stopping() implements WorkerEvent {}

  /** Told before {@link Worker#stop} returns. */
  record Stopped() implements WorkerEvent {}

  record TaskStarted(ClaimedTask task) implements WorkerEvent {}

  /** Its result was taken. */
  record TaskCompleted(ClaimedTask task, Duration duration) implements WorkerEvent {}

  /** Its handler threw; the server may have it tried again. */
  record TaskFailed(ClaimedTask task, Throwable cause, Duration duration) implements WorkerEvent {}

  /** It was cancelled, lost or given back; nothing came of it here. */
  record TaskDropped(ClaimedTask task, String reason) implements WorkerEvent {}

  /**
   * Something went wrong; the worker goes on.
   *
   * @param task which it is about, if one
   */
  record Error(Location location, @Nullable ClaimedTask task, Throwable cause)
      implements WorkerEvent {}

  /**
   * @param breaker {@code dequeueTask} or {@code taskHandler}
   */
  record CircuitBreakerOpened(String breaker) implements WorkerEvent {}

  record CircuitBreakerClosed(String breaker) implements WorkerEvent {}

  record QueueEmpty(int consecutiveEmptyPolls) implements WorkerEvent {}

  /** Where something went wrong. */
  enum Location {
    TASK_DEQUEUE("taskDequeue"),
    TASK_PROCESSING("taskProcessing"),
    MARK_TASK_COMPLETED("markTaskCompleted"),
    MARK_TASK_FAILED("markTaskFailed"),
    RELEASE("release"),
    HEARTBEAT("heartbeat"),
    LOG("log");

    private final String word;

    Location(String word) {
      this.word = word;
    }

    /** As Jobnik's own library names it, where it does. */
    public String word() {
      return word;
    }
  }
}

package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** An event in the life of a worker, for its listener. */
public sealed interface WorkerEvent {

  /** The worker has started; sent before {@link Worker#start} returns. */
  record Started() implements WorkerEvent {}

  /** The worker stops, and claims no more tasks. */
  record Stopping() implements WorkerEvent {}

  /** The worker has stopped; sent before {@link Worker#stop} returns. */
  record Stopped() implements WorkerEvent {}

  record TaskStarted(ClaimedTask task) implements WorkerEvent {}

  /** The server has accepted the result. */
  record TaskCompleted(ClaimedTask task, Duration duration) implements WorkerEvent {}

  /** The handler threw; the server may retry the task. */
  record TaskFailed(ClaimedTask task, Throwable cause, Duration duration) implements WorkerEvent {}

  /** The task was cancelled, lost or released; it has no result here. */
  record TaskDropped(ClaimedTask task, String reason) implements WorkerEvent {}

  /**
   * Something failed; the worker continues.
   *
   * @param task the task that is affected; null if none
   */
  record Error(Location location, @Nullable ClaimedTask task, Throwable cause)
      implements WorkerEvent {}

  /**
   * @param breaker {@code dequeueTask} or {@code taskHandler}
   */
  record CircuitBreakerOpened(String breaker) implements WorkerEvent {}

  record CircuitBreakerClosed(String breaker) implements WorkerEvent {}

  record QueueEmpty(int consecutiveEmptyPolls) implements WorkerEvent {}

  /** Where something failed. */
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

    /** The name in the SDK of Jobnik, where it has one. */
    public String word() {
      return word;
    }
  }
}

package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.worker.WorkerEvent.Location;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Reports the end of a task to the server. While the server cannot be reached, the report is
 * retried for ten minutes: a claim survives a restart of the server.
 */
final class TaskReporter {

  /** How a handler ended. */
  sealed interface HandlerResult {
    record Returned(@Nullable Object result) implements HandlerResult {}

    record Threw(Throwable cause) implements HandlerResult {}
  }

  private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);

  private static final int MAX_ERROR = 4_000;

  /** A character has at most 6 bytes in JSON, and the server accepts 1 MiB for the request. */
  private static final int MAX_PARTIAL = 150_000;

  /** The limit of the server. */
  private static final int MAX_REASON = 1_000;

  private final WorkerRuntime runtime;
  private final TaskRun run;
  private final ClaimedTask claim;

  TaskReporter(WorkerRuntime runtime, TaskRun run) {
    this.runtime = runtime;
    this.run = run;
    this.claim = run.claim();
  }

  void report(HandlerResult result, Duration time) {
    String outcome = "failed";
    try {
      outcome =
          switch (result) {
            case HandlerResult.Returned(Object value) -> returned(value, time);
            case HandlerResult.Threw(ReleaseTask release) -> released(message(release));
            case HandlerResult.Threw(Throwable cause) when run.stopCause() != null -> stopped();
            case HandlerResult.Threw(Throwable cause) -> failed(cause, time);
          };
    } finally {
      runtime.meters().taskEnded(runtime.type(), outcome, time);
    }
  }

  private String returned(@Nullable Object result, Duration time) {
    runtime.breaker().succeeded(time.toNanos());
    TaskStatusUpdate update = TaskStatusUpdate.completed(result).receipt(run.receipt());
    ApiException refused = send(update, Location.MARK_TASK_COMPLETED);
    if (refused == null) {
      runtime.notifyListener(new WorkerEvent.TaskCompleted(claim, time));
      return "completed";
    }
    if (isInvalid(refused)) {
      failForGood("the result was refused: ", refused);
      runtime.notifyListener(new WorkerEvent.TaskFailed(claim, refused, time));
      return "failed";
    }
    return dropped(refused.text());
  }

  private String failed(Throwable cause, Duration time) {
    boolean permanent = cause instanceof PermanentFailure;
    if (permanent) {
      runtime.breaker().releasePermit(); // the task is the cause, not a dependency of the handler
    } else {
      runtime.breaker().failed(time.toNanos(), cause);
    }
    runtime.reportError(Location.TASK_PROCESSING, claim, cause);
    String partial = run.partial();
    TaskStatusUpdate update =
        TaskStatusUpdate.failed(TruncatedText.of(message(cause), MAX_ERROR), !permanent)
            .partial(partial == null ? null : TruncatedText.of(partial, MAX_PARTIAL))
            .receipt(run.receipt());
    ApiException refused = send(update, Location.MARK_TASK_FAILED);
    if (refused != null && isInvalid(refused)) {
      failForGood(update.error() + "; the partial output or the receipt was refused: ", refused);
    }
    runtime.notifyListener(new WorkerEvent.TaskFailed(claim, cause, time));
    return "failed";
  }

  /** Whether the report itself is invalid, so that every attempt would end like this. */
  private static boolean isInvalid(ApiException refused) {
    return refused.status() == 400 || refused.status() == 413;
  }

  /** Sends a minimal report, which is not refused; without one the lease would have to expire. */
  private void failForGood(String prefix, ApiException refused) {
    String error = TruncatedText.of(prefix + refused.text(), MAX_ERROR);
    send(TaskStatusUpdate.failed(error, false), Location.MARK_TASK_FAILED);
  }

  /** The handler has stopped as requested. */
  private String stopped() {
    if (run.stopCause() == TaskRun.StopCause.WORKER) {
      return released("the worker stops");
    }
    runtime.breaker().releasePermit();
    return dropped(String.valueOf(run.cancelReason()));
  }

  private String released(String reason) {
    runtime.breaker().releasePermit();
    if (run.stopCause() == null || run.stopCause() == TaskRun.StopCause.WORKER) {
      run.log().flush();
      releaseTask(runtime, claim, reason);
    }
    return dropped(reason);
  }

  private String dropped(String reason) {
    runtime.notifyListener(new WorkerEvent.TaskDropped(claim, reason));
    return "dropped";
  }

  /** Returns a task to the queue; if that fails, its lease expires. */
  static void releaseTask(WorkerRuntime runtime, ClaimedTask claim, String reason) {
    try {
      String shortened = TruncatedText.of(reason, MAX_REASON);
      runtime.client().tasks().release(claim.id(), claim.token(), shortened);
    } catch (ClientException e) {
      runtime.reportError(Location.RELEASE, claim, e);
    }
  }

  /** Null if the server accepts the report, else why not. */
  private @Nullable ApiException send(TaskStatusUpdate update, Location location) {
    long start = runtime.timeSource().nanos();
    ApiException refused = null;
    try {
      refused = sendWithRetries(update, location, start);
    } finally {
      String status = update.completed() ? "COMPLETED" : "FAILED";
      runtime.meters().statusUpdated(runtime.type(), status, refused == null, runtime.since(start));
    }
    if (refused != null) {
      runtime.reportError(location, claim, refused);
    }
    return refused;
  }

  private @Nullable ApiException sendWithRetries(
      TaskStatusUpdate update, Location location, long start) {
    for (int tries = 1; ; tries++) {
      ClientException problem;
      run.log().flush(); // the report ends the claim, then lines are refused
      try {
        runtime.client().tasks().updateStatus(claim.id(), claim.token(), update);
        return null;
      } catch (ApiException e) {
        if (e.status() != 429 && (e.status() < 500 || claim.token() == null)) {
          return e;
        }
        problem = e;
      } catch (NetworkException e) {
        if (claim.token() == null && !e.isUnsent()) {
          return givenUp(e); // a second try could hit the claim of another worker
        }
        problem = e;
      } catch (RuntimeException | StackOverflowError e) { // a handler may return anything
        String text = "cannot be written as JSON: " + message(e);
        return new ApiException(400, "UNWRITABLE", text, null, null);
      }
      if (runtime.since(start).compareTo(GIVE_UP_AFTER) > 0 || !awaitRetry(tries)) {
        return givenUp(problem);
      }
      runtime.reportError(location, claim, problem);
    }
  }

  private static ApiException givenUp(ClientException e) {
    return new ApiException(0, e.code(), String.valueOf(e.getMessage()), null, null);
  }

  private boolean awaitRetry(int tries) {
    try {
      return !runtime
          .timeSource()
          .await(
              runtime.dropSignal(),
              runtime.settings().backoff().delay(tries, runtime.timeSource().random()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** What a handler threw, without the stack trace. */
  private static String message(Throwable cause) {
    String message = cause.getMessage();
    boolean hasMessage = message != null && !message.isBlank();
    boolean plain = cause instanceof PermanentFailure || cause instanceof ReleaseTask;
    return plain && hasMessage
        ? message
        : cause.getClass().getSimpleName() + (hasMessage ? ": " + message : "");
  }
}

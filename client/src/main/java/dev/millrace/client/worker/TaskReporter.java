package dev.millrace.client.worker;

import dev.millrace.api.ClaimedTask;
import dev.millrace.api.TaskStatusUpdate;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.worker.WorkerEvent.Location;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Tells the server what became of a task. A finished task is worth some patience: while the server is
 * away its answer is kept and tried again, for a claim outlives a restart of the server.
 */
final class TaskReporter {

  /** How a handler ended. */
  sealed interface HandlerResult {
    record Returned(@Nullable Object result) implements HandlerResult {}

    record Threw(Throwable cause) implements HandlerResult {}
  }

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** For people. */
  private static final int LONGEST_ERROR = 4_000;

  /** Each character has at most 6 bytes in a request, and the server takes 1 MiB with the rest. */
  private static final int LONGEST_PARTIAL = 150_000;

  /** The server takes no longer one. */
  private static final int LONGEST_REASON = 1_000;

  private final WorkerRuntime runtime;
  private final TaskRun run;
  private final ClaimedTask claim;

  TaskReporter(WorkerRuntime shop, TaskRun run) {
    this.runtime = shop;
    this.run = run;
    this.claim = run.claim();
  }

  void report(HandlerResult ending, Duration time) {
    String outcome = "failed";
    try {
      outcome =
          switch (ending) {
            case HandlerResult.Returned(Object result) -> returned(result, time);
            case HandlerResult.Threw(ReleaseTask asked) -> released(words(asked));
            case HandlerResult.Threw(Throwable cause) when run.stopCause() != null -> stopped();
            case HandlerResult.Threw(Throwable cause) -> failed(cause, time);
          };
    } finally {
      runtime.meters().taskEnded(runtime.type(), outcome, time);
    }
  }

  private String returned(@Nullable Object result, Duration time) {
    runtime.breaker().succeeded(time.toNanos());
    TaskStatusUpdate answer = TaskStatusUpdate.completed(result).receipt(run.receipt());
    ApiException refused = deliver(answer, Location.MARK_TASK_COMPLETED);
    if (refused == null) {
      runtime.notifyListener(new WorkerEvent.TaskCompleted(claim, time));
      return "completed";
    }
    if (unfit(refused)) {
      failForGood("the result was refused: ", refused);
      runtime.notifyListener(new WorkerEvent.TaskFailed(claim, refused, time));
      return "failed";
    }
    return dropped(refused.text());
  }

  private String failed(Throwable cause, Duration time) {
    boolean permanent = cause instanceof PermanentFailure;
    if (permanent) {
      runtime.breaker().releasePermit(); // the task is at fault, not what the handler depends on
    } else {
      runtime.breaker().failed(time.toNanos(), cause);
    }
    runtime.reportError(Location.TASK_PROCESSING, claim, cause);
    String partial = run.partial();
    TaskStatusUpdate answer =
        TaskStatusUpdate.failed(TruncatedText.of(words(cause), LONGEST_ERROR), !permanent)
            .partial(partial == null ? null : TruncatedText.of(partial, LONGEST_PARTIAL))
            .receipt(run.receipt());
    ApiException refused = deliver(answer, Location.MARK_TASK_FAILED);
    if (refused != null && unfit(refused)) {
      failForGood(answer.error() + "; what was to be kept with it was refused: ", refused);
    }
    runtime.notifyListener(new WorkerEvent.TaskFailed(claim, cause, time));
    return "failed";
  }

  /** Whether the answer itself is at fault, so that every other attempt could end like this. */
  private static boolean unfit(ApiException refused) {
    return refused.status() == 400 || refused.status() == 413;
  }

  /** So little that it cannot be refused: without an answer the lease would have to run out. */
  private void failForGood(String words, ApiException refused) {
    String error = TruncatedText.of(words + refused.text(), LONGEST_ERROR);
    deliver(TaskStatusUpdate.failed(error, false), Location.MARK_TASK_FAILED);
  }

  /** The handler was told to stop, and did. */
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

  /** Gives a task back; where that fails, its lease runs out. */
  static void releaseTask(WorkerRuntime shop, ClaimedTask claim, String reason) {
    try {
      String said = TruncatedText.of(reason, LONGEST_REASON);
      shop.client().tasks().release(claim.id(), claim.token(), said);
    } catch (ClientException e) {
      shop.reportError(Location.RELEASE, claim, e);
    }
  }

  /** Null once the server has taken it, or why it does not. */
  private @Nullable ApiException deliver(TaskStatusUpdate answer, Location location) {
    long start = runtime.timeSource().nanos();
    ApiException refused = null;
    try {
      refused = insist(answer, location, start);
    } finally {
      String status = answer.completed() ? "COMPLETED" : "FAILED";
      runtime.meters().statusUpdated(runtime.type(), status, refused == null, runtime.since(start));
    }
    if (refused != null) {
      runtime.reportError(location, claim, refused);
    }
    return refused;
  }

  private @Nullable ApiException insist(TaskStatusUpdate answer, Location location, long start) {
    for (int tries = 1; ; tries++) {
      ClientException problem;
      run.log().flush(); // after the answer the claim is over, and its lines are refused
      try {
        runtime.client().tasks().updateStatus(claim.id(), claim.token(), answer);
        return null;
      } catch (ApiException e) {
        if (e.status() != 429 && (e.status() < 500 || claim.token() == null)) {
          return e;
        }
        problem = e;
      } catch (NetworkException e) {
        if (claim.token() == null && !e.isUnsent()) {
          return givenUp(e); // a second try could meet another's claim
        }
        problem = e;
      } catch (RuntimeException | StackOverflowError e) { // a handler may return anything
        String text = "it cannot be written as JSON: " + words(e);
        return new ApiException(400, "UNWRITABLE", text, null, null);
      }
      if (runtime.since(start).compareTo(PATIENCE) > 0 || !another(tries)) {
        return givenUp(problem);
      }
      runtime.reportError(location, claim, problem);
    }
  }

  private static ApiException givenUp(ClientException e) {
    return new ApiException(0, e.code(), String.valueOf(e.getMessage()), null, null);
  }

  private boolean another(int tries) {
    CountDownLatch over = runtime.dropSignal();
    try {
      return !runtime
          .timeSource()
          .await(over, runtime.settings().backoff().delay(tries, runtime.timeSource().random()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** A message for people: what a handler threw, without its stack. */
  private static String words(Throwable cause) {
    String message = cause.getMessage();
    boolean says = message != null && !message.isBlank();
    boolean plain = cause instanceof PermanentFailure || cause instanceof ReleaseTask;
    return plain && says
        ? message
        : cause.getClass().getSimpleName() + (says ? ": " + message : "");
  }
}

package dev.millrace.client;

import dev.millrace.client.WorkerEvent.Location;
import dev.millrace.client.wire.ClaimedTask;
import dev.millrace.client.wire.TaskAnswer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Tells the server what became of a task. A finished task is worth some patience: while the server is
 * away its answer is kept and tried again, for a claim outlives a restart of the server.
 */
final class TaskReport {

  /** How a handler ended. */
  sealed interface Ending {
    record Returned(@Nullable Object result) implements Ending {}

    record Threw(Throwable cause) implements Ending {}
  }

  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** For people. */
  private static final int LONGEST_ERROR = 4_000;

  /** Each character has at most 6 bytes in a request, and the server takes 1 MiB with the rest. */
  private static final int LONGEST_PARTIAL = 150_000;

  /** The server takes no longer one. */
  private static final int LONGEST_REASON = 1_000;

  private final Shop shop;
  private final TaskRun run;
  private final ClaimedTask claim;

  TaskReport(Shop shop, TaskRun run) {
    this.shop = shop;
    this.run = run;
    this.claim = run.claim();
  }

  void end(Ending ending, Duration time) {
    String outcome = "failed";
    try {
      outcome =
          switch (ending) {
            case Ending.Returned(Object result) -> returned(result, time);
            case Ending.Threw(ReleaseTask asked) -> released(words(asked));
            case Ending.Threw(Throwable cause) when run.stop() != null -> stopped();
            case Ending.Threw(Throwable cause) -> failed(cause, time);
          };
    } finally {
      shop.meters().taskEnded(shop.type(), outcome, time);
    }
  }

  private String returned(@Nullable Object result, Duration time) {
    shop.breaker().succeeded(time.toNanos());
    TaskAnswer answer = TaskAnswer.completed(result).receipt(run.receipt());
    ApiException refused = deliver(answer, Location.MARK_TASK_COMPLETED);
    if (refused == null) {
      shop.tell(new WorkerEvent.TaskCompleted(claim, time));
      return "completed";
    }
    if (unfit(refused)) {
      failForGood("the result was refused: ", refused);
      shop.tell(new WorkerEvent.TaskFailed(claim, refused, time));
      return "failed";
    }
    return dropped(refused.text());
  }

  private String failed(Throwable cause, Duration time) {
    boolean permanent = cause instanceof PermanentFailure;
    if (permanent) {
      shop.breaker().undecided(); // the task is at fault, not what the handler depends on
    } else {
      shop.breaker().failed(time.toNanos(), cause);
    }
    shop.error(Location.TASK_PROCESSING, claim, cause);
    String partial = run.partial();
    TaskAnswer answer =
        TaskAnswer.failed(Excerpt.of(words(cause), LONGEST_ERROR), !permanent)
            .partial(partial == null ? null : Excerpt.of(partial, LONGEST_PARTIAL))
            .receipt(run.receipt());
    ApiException refused = deliver(answer, Location.MARK_TASK_FAILED);
    if (refused != null && unfit(refused)) {
      failForGood(answer.error() + "; what was to be kept with it was refused: ", refused);
    }
    shop.tell(new WorkerEvent.TaskFailed(claim, cause, time));
    return "failed";
  }

  /** Whether the answer itself is at fault, so that every other attempt could end like this. */
  private static boolean unfit(ApiException refused) {
    return refused.status() == 400 || refused.status() == 413;
  }

  /** So little that it cannot be refused: without an answer the lease would have to run out. */
  private void failForGood(String words, ApiException refused) {
    String error = Excerpt.of(words + refused.text(), LONGEST_ERROR);
    deliver(TaskAnswer.failed(error, false), Location.MARK_TASK_FAILED);
  }

  /** The handler was told to stop, and did. */
  private String stopped() {
    if (run.stop() == TaskRun.Stop.WORKER) {
      return released("the worker stops");
    }
    shop.breaker().undecided();
    return dropped(String.valueOf(run.cancelReason()));
  }

  private String released(String reason) {
    shop.breaker().undecided();
    if (run.stop() == null || run.stop() == TaskRun.Stop.WORKER) {
      run.log().flush();
      giveBack(shop, claim, reason);
    }
    return dropped(reason);
  }

  private String dropped(String reason) {
    shop.tell(new WorkerEvent.TaskDropped(claim, reason));
    return "dropped";
  }

  /** Gives a task back; where that fails, its lease runs out. */
  static void giveBack(Shop shop, ClaimedTask claim, String reason) {
    try {
      String said = Excerpt.of(reason, LONGEST_REASON);
      shop.client().tasks().release(claim.id(), claim.token(), said);
    } catch (ClientException e) {
      shop.error(Location.RELEASE, claim, e);
    }
  }

  /** Null once the server has taken it, or why it does not. */
  private @Nullable ApiException deliver(TaskAnswer answer, Location location) {
    long start = shop.timing().nanos();
    ApiException refused = null;
    try {
      refused = insist(answer, location, start);
    } finally {
      String status = answer.completed() ? "COMPLETED" : "FAILED";
      shop.meters().answered(shop.type(), status, refused == null, shop.since(start));
    }
    if (refused != null) {
      shop.error(location, claim, refused);
    }
    return refused;
  }

  private @Nullable ApiException insist(TaskAnswer answer, Location location, long start) {
    for (int tries = 1; ; tries++) {
      ClientException problem;
      run.log().flush(); // after the answer the claim is over, and its lines are refused
      try {
        shop.client().tasks().answer(claim.id(), claim.token(), answer);
        return null;
      } catch (ApiException e) {
        if (e.status() != 429 && (e.status() < 500 || claim.token() == null)) {
          return e;
        }
        problem = e;
      } catch (NetworkException e) {
        if (claim.token() == null && !e.unsent()) {
          return givenUp(e); // a second try could meet another's claim
        }
        problem = e;
      } catch (RuntimeException | StackOverflowError e) { // a handler may return anything
        String text = "it cannot be written as JSON: " + words(e);
        return new ApiException(400, "UNWRITABLE", text, null, null);
      }
      if (shop.since(start).compareTo(PATIENCE) > 0 || !another(tries)) {
        return givenUp(problem);
      }
      shop.error(location, claim, problem);
    }
  }

  private static ApiException givenUp(ClientException e) {
    return new ApiException(0, e.code(), String.valueOf(e.getMessage()), null, null);
  }

  private boolean another(int tries) {
    CountDownLatch over = shop.over();
    try {
      return !shop.timing()
          .await(over, shop.settings().backoff().delay(tries, shop.timing().random()));
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

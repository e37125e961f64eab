package dev.millrace.core.rules;

import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.Token;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What workers, and the system on their behalf, may do to a task. */
public final class Claims {
  /**
   * How long after its limit an attempt is failed by the system: a worker that obeys the limit has
   * that long to say so itself, with what it made until then.
   */
  public static final Duration OVERRUN_GRACE = Duration.ofSeconds(5);

  private Claims() {}

  /** Which task of which stage, under which token. */
  public record Hold(int stage, int task, Token token) {}

  /** How a worker vanished, in the words of the log and of a task that failed of it. */
  public enum Loss {
    CRASH("crash of the owner", "Job exceeded recovery ceiling after repeated daemon crashes"),
    LEASE(
        "lost lease",
        "Job exceeded recovery ceiling after repeatedly lost leases: its workers fell silent");

    private final String reason;
    private final String tooOften;

    Loss(String reason, String tooOften) {
      this.reason = reason;
      this.tooOften = tooOften;
    }
  }

  /** Job and stage are open, and the task waits with its backoff behind it. */
  public static boolean claimable(JobFold fold, int stage, int task, Instant now) {
    StageFold of = fold.stage(stage);
    TaskFold at = of.task(task);
    return fold.state().open()
        && of.state().open()
        && at.state().queued()
        && !at.backsOff(now, of.plan().policy().backoff().longest());
  }

  /**
   * PENDING or RETRIED to IN_PROGRESS. The recorded entry's number completes the token. Whoever
   * hands out tasks tries {@link #expire} first: nobody may have been there to see it wait.
   */
  public static Answer claim(Turn turn, int stage, int task, Detail.Claimed by) {
    if (!claimable(turn.fold(), stage, task, turn.clock())) {
      return new Answer.Refused("task " + stage + "/" + task + " cannot be claimed now");
    }
    turn.record(new Fact.OfTask(stage, task, TaskEvent.CLAIM, by));
    turn.settle();
    return Answer.DONE;
  }

  /** IN_PROGRESS to COMPLETED, with what follows for stage and job. */
  public static Answer complete(Turn turn, Hold hold, Detail.Completed result) {
    Answer fence = check(turn.fold(), hold);
    if (fence.done()) {
      turn.record(new Fact.OfTask(hold.stage(), hold.task(), TaskEvent.COMPLETE, result));
      turn.settle();
    }
    return fence;
  }

  /**
   * IN_PROGRESS to RETRIED while attempts are left, else to FAILED.
   *
   * @param random uniform in [0, 1), for the jitter of the backoff
   */
  public static Answer fail(Turn turn, Hold hold, Failure failure, double random) {
    Answer fence = check(turn.fold(), hold);
    if (fence.done()) {
      TaskFold task = turn.fold().stage(hold.stage()).task(hold.task());
      TaskPolicy policy = turn.fold().stage(hold.stage()).plan().policy();
      int attempt = task.attempts() + 1;
      if (failure.retryable() && attempt < task.maxAttempts(policy)) {
        Instant until = turn.now().plus(policy.backoff().delay(attempt, random));
        turn.record(
            new Fact.OfTask(
                hold.stage(),
                hold.task(),
                TaskEvent.RETRY,
                new Detail.Retrying(failure.message(), until)));
      } else {
        turn.record(
            new Fact.OfTask(
                hold.stage(), hold.task(), TaskEvent.FAIL, new Detail.Ended(failure.message())));
      }
      turn.settle();
    }
    return fence;
  }

  /** IN_PROGRESS to RETRIED without costing an attempt: shutdown, or a pause obeyed. */
  public static Answer release(Turn turn, Hold hold, String reason) {
    Answer fence = check(turn.fold(), hold);
    if (fence.done()) {
      turn.record(
          new Fact.OfTask(
              hold.stage(), hold.task(), TaskEvent.RELEASE, new Detail.Released(reason, false)));
      turn.settle();
    }
    return fence;
  }

  /** Records what the task's first attempt settled, as it will be read. */
  public static Answer freeze(Turn turn, Hold hold, JsonObject terms) {
    Answer fence = check(turn.fold(), hold);
    if (fence.done()) {
      JsonObject kept = Json.object(Json.write(terms));
      turn.record(new Fact.Frozen(hold.stage(), hold.task(), kept));
    }
    return fence;
  }

  /** Records, where it matters, that the task got further since its worker last vanished. */
  public static Answer progress(Turn turn, Hold hold) {
    JobFold fold = turn.fold();
    Answer fence = check(fold, hold);
    if (fence.done() && recovered(fold, hold)) {
      turn.record(new Fact.Progress(hold.stage(), hold.task()));
    }
    return fence;
  }

  /** Whether recoveries count against the task: then progress is worth an entry. */
  public static boolean recovered(JobFold fold, Hold hold) {
    return fold.stage(hold.stage()).task(hold.task()).recoveriesSince(fold.progress()) > 0;
  }

  /**
   * The worker vanished: released, or failed where that happened too often without progress. It
   * counts only against a task that was at work and got no further.
   */
  public static Answer lose(Turn turn, Hold hold, Loss loss, Trace trace) {
    Answer fence = check(turn.fold(), hold);
    if (fence.done()) {
      if (trace == Trace.GREW) {
        progress(turn, hold);
      }
      boolean counts = trace == Trace.BEGUN;
      turn.record(
          counts && tooOften(turn.fold(), hold)
              ? new Fact.OfTask(
                  hold.stage(), hold.task(), TaskEvent.CEILING, new Detail.Ended(loss.tooOften))
              : new Fact.OfTask(
                  hold.stage(),
                  hold.task(),
                  TaskEvent.RELEASE,
                  new Detail.Released(loss.reason, counts)));
      turn.settle();
    }
    return fence;
  }

  private static boolean tooOften(JobFold fold, Hold hold) {
    StageFold stage = fold.stage(hold.stage());
    int before = stage.task(hold.task()).recoveriesSince(fold.progress());
    return before >= stage.plan().policy().recoveryCeiling();
  }

  /**
   * Releases every claim that an owner of another epoch granted: its workers are gone with it. A
   * claim with a lease outlives its owner, for its worker may be anywhere; its time is for the new
   * owner to keep.
   *
   * @param traces how far each of them had come
   */
  public static void recover(Turn turn, long epoch, Function<Hold, Trace> traces) {
    for (StageFold stage : turn.fold().stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        TaskFold at = stage.task(task);
        TaskFold.Held held = at.held();
        if (at.state() == TaskState.IN_PROGRESS
            && held != null
            && held.lease() == null
            && held.token().epoch() != epoch) {
          Hold hold = new Hold(stage.number(), task, held.token());
          lose(turn, hold, Loss.CRASH, traces.apply(hold));
        }
      }
    }
  }

  /**
   * IN_PROGRESS to RETRIED or FAILED: the attempt ran longer than its stage allows, and its worker
   * has not said so.
   *
   * @param random as for {@link #fail}
   */
  public static Answer overrun(Turn turn, int stage, int task, double random) {
    Instant deadline = runDeadline(turn.fold(), stage, task);
    Token token = turn.fold().stage(stage).task(task).token();
    if (deadline == null || token == null || turn.now().isBefore(deadline)) {
      return new Answer.Refused("task " + stage + "/" + task + " is not over its time");
    }
    Duration limit = turn.fold().stage(stage).plan().policy().runTimeout();
    return fail(
        turn,
        new Hold(stage, task, token),
        Failure.of("run timeout: not finished within " + limit),
        random);
  }

  /** PENDING or RETRIED to FAILED: it waited longer than its stage allows. */
  public static Answer expire(Turn turn, int stage, int task) {
    Instant deadline = queueDeadline(turn.fold(), stage, task);
    if (deadline == null || turn.now().isBefore(deadline)) {
      return new Answer.Refused("task " + stage + "/" + task + " is not overdue");
    }
    Duration limit = turn.fold().stage(stage).plan().policy().queueTimeout();
    turn.record(
        new Fact.OfTask(
            stage,
            task,
            TaskEvent.EXPIRE,
            new Detail.Ended("queue timeout: not claimed within " + limit)));
    turn.settle();
    return Answer.DONE;
  }

  /** When the system fails a running attempt; null if it has no limit or does not run. */
  public static @Nullable Instant runDeadline(JobFold fold, int stage, int task) {
    Duration limit = fold.stage(stage).plan().policy().runTimeout();
    TaskFold at = fold.stage(stage).task(task);
    return limit == null || at.state() != TaskState.IN_PROGRESS
        ? null
        : at.since().plus(limit).plus(OVERRUN_GRACE);
  }

  /**
   * When a waiting task is over its time; null if it has no limit or could not be claimed anyway.
   * The time counts only while the task could be claimed: not behind a gate, a pause or a backoff.
   */
  public static @Nullable Instant queueDeadline(JobFold fold, int stage, int task) {
    StageFold of = fold.stage(stage);
    TaskFold at = of.task(task);
    Duration limit = of.plan().policy().queueTimeout();
    if (limit == null || !at.state().queued() || !fold.state().open() || !of.state().open()) {
      return null;
    }
    Instant from = later(at.since(), at.notBefore());
    return later(later(from, of.openSince()), fold.openSince()).plus(limit);
  }

  /** What a worker that asks is to do. */
  public static Pulse pulse(JobFold fold, Hold hold) {
    return switch (check(fold, hold)) {
      case Answer.Done _ ->
          fold.state() == JobState.PAUSED || fold.stage(hold.stage()).state() == StageState.WAITING
              ? Pulse.PAUSE
              : Pulse.CONTINUE;
      case Answer.Cancelled _ -> Pulse.CANCEL;
      default -> Pulse.LOST;
    };
  }

  /** Done if {@code hold} is the task's present claim. */
  public static Answer check(JobFold fold, Hold hold) {
    if (!fold.hasStage(hold.stage()) || !fold.stage(hold.stage()).hasTask(hold.task())) {
      return new Answer.Missing("no task " + hold.stage() + "/" + hold.task());
    }
    TaskFold task = fold.stage(hold.stage()).task(hold.task());
    String name = "task " + hold.stage() + "/" + hold.task();
    if (!hold.token().equals(task.token())) {
      return new Answer.Fenced(
          name + ": token " + hold.token() + " is not that of the present claim");
    }
    return switch (task.state()) {
      case IN_PROGRESS -> Answer.DONE;
      case ABORTED -> new Answer.Cancelled(name + ": its job is " + fold.state());
      default ->
          new Answer.Fenced(
              name + ": the claim " + hold.token() + " has ended; the task is " + task.state());
    };
  }

  private static Instant later(Instant a, @Nullable Instant b) {
    return b == null || a.isAfter(b) ? a : b;
  }
}

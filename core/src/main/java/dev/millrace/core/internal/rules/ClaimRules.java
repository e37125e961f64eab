package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Function;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/** The rules for workers' answers, and for what the system does when a worker is lost or late. */
public final class ClaimRules {
  /**
   * How long after its limit the system fails an attempt. A worker that observes the limit has this
   * long to report it, with its partial output.
   */
  public static final Duration OVERRUN_GRACE = Duration.ofSeconds(5);

  /**
   * After so many losses in a row that did not count, waiting is no excuse: what kills the process
   * may come just before the task says that it starts.
   */
  static final int MOST_EXCUSED = 20;

  private ClaimRules() {}

  /** Why a worker was lost, with the texts for the log and for a task that fails because of it. */
  public enum WorkerLoss {
    CRASH("crash of the owner", "Job exceeded recovery ceiling after repeated daemon crashes"),
    LEASE(
        "lost lease",
        "Job exceeded recovery ceiling after repeatedly lost leases: its workers fell silent");

    private final String reason;
    private final String tooOften;

    WorkerLoss(String reason, String tooOften) {
      this.reason = reason;
      this.tooOften = tooOften;
    }
  }

  /** Whether a task was released for that reason because its worker was lost. */
  static boolean isLoss(String reason) {
    return reason.equals(WorkerLoss.CRASH.reason) || reason.equals(WorkerLoss.LEASE.reason);
  }

  /** Whether job and stage are open and the task waits with no backoff left at that steady time. */
  public static boolean isClaimable(JobFold fold, int stage, int task, Instant now) {
    StageFold of = fold.stage(stage);
    TaskFold at = of.task(task);
    return fold.state().isOpen()
        && of.state().isOpen()
        && at.state().isQueued()
        && !at.isInBackoff(now);
  }

  /**
   * PENDING or RETRIED to IN_PROGRESS. The number of the recorded entry completes the token.
   * Callers try {@link #expire} first, because a queue timeout may have passed unnoticed.
   */
  public static Outcome claim(JobUpdate update, int stage, int task, Detail.Claimed by) {
    if (!isClaimable(update.fold(), stage, task, update.steadyNow())) {
      return new Outcome.Refused("task " + stage + "/" + task + " cannot be claimed now");
    }
    update.record(new Fact.TaskChanged(stage, task, TaskEvent.CLAIM, by));
    update.runCascade();
    return Outcome.DONE;
  }

  /** IN_PROGRESS to COMPLETED, with what follows for stage and job. */
  public static Outcome complete(JobUpdate update, ClaimKey key, Detail.Completed result) {
    Outcome fence = checkFence(update.fold(), key);
    if (fence.isDone()) {
      update.record(new Fact.TaskChanged(key.stage(), key.task(), TaskEvent.COMPLETE, result));
      update.runCascade();
    }
    return fence;
  }

  /**
   * IN_PROGRESS to RETRIED while attempts are left, else to FAILED.
   *
   * @param random uniform in [0, 1), for the jitter of the backoff
   */
  public static Outcome fail(JobUpdate update, ClaimKey key, Failure failure, double random) {
    Outcome fence = checkFence(update.fold(), key);
    if (fence.isDone()) {
      TaskFold task = update.fold().stage(key.stage()).task(key.task());
      TaskPolicy policy = update.fold().stage(key.stage()).plan().policy();
      int attempt = task.attempts() + 1;
      String message = LogLimits.cutError(failure.message());
      if (failure.retryable() && attempt < task.maxAttempts(policy)) {
        Instant until = update.now().plus(policy.backoff().delay(attempt, random));
        update.record(
            new Fact.TaskChanged(
                key.stage(), key.task(), TaskEvent.RETRY, new Detail.Retrying(message, until)));
      } else {
        update.record(
            new Fact.TaskChanged(
                key.stage(), key.task(), TaskEvent.FAIL, new Detail.Ended(message)));
      }
      update.runCascade();
    }
    return fence;
  }

  /** IN_PROGRESS to RETRIED without costing an attempt, on a shutdown or a pause. */
  public static Outcome release(JobUpdate update, ClaimKey key, String reason) {
    Outcome fence = checkFence(update.fold(), key);
    if (fence.isDone()) {
      update.record(
          new Fact.TaskChanged(
              key.stage(),
              key.task(),
              TaskEvent.RELEASE,
              new Detail.Released(LogLimits.cutError(reason), false)));
      update.runCascade();
    }
    return fence;
  }

  /** Records the terms that the task's first attempt fixed, as the log will be read back. */
  public static Outcome freeze(JobUpdate update, ClaimKey key, JsonObject terms) {
    Outcome fence = checkFence(update.fold(), key);
    if (fence.isDone()) {
      JsonObject kept = Json.object(Json.write(terms));
      update.record(new Fact.TermsFrozen(key.stage(), key.task(), kept));
    }
    return fence;
  }

  /** Records that the task made progress since its worker was last lost, if recoveries count. */
  public static Outcome progress(JobUpdate update, ClaimKey key) {
    JobFold fold = update.fold();
    Outcome fence = checkFence(fold, key);
    if (fence.isDone() && hasCountedRecoveries(fold, key)) {
      update.record(new Fact.TaskProgressed(key.stage(), key.task()));
    }
    return fence;
  }

  /** Whether recoveries count against the task, so that its progress must be recorded. */
  public static boolean hasCountedRecoveries(JobFold fold, ClaimKey key) {
    return fold.stage(key.stage()).task(key.task()).recoveriesSince(fold.completedTasks()) > 0;
  }

  /**
   * The worker was lost: releases the task, or fails it if that happened too often without
   * progress. The loss counts only against a task that was running and made no progress, or that
   * was lost too often while it waited.
   */
  public static Outcome recordLoss(
      JobUpdate update, ClaimKey key, WorkerLoss loss, AttemptProgress attemptProgress) {
    Outcome fence = checkFence(update.fold(), key);
    if (fence.isDone()) {
      if (attemptProgress == AttemptProgress.PRODUCED_TOKENS) {
        progress(update, key);
      }
      boolean counts = counts(update.fold(), key, attemptProgress);
      update.record(
          counts && tooOften(update.fold(), key)
              ? new Fact.TaskChanged(
                  key.stage(), key.task(), TaskEvent.CEILING, new Detail.Ended(loss.tooOften))
              : new Fact.TaskChanged(
                  key.stage(),
                  key.task(),
                  TaskEvent.RELEASE,
                  new Detail.Released(loss.reason, counts)));
      update.runCascade();
    }
    return fence;
  }

  private static boolean counts(JobFold fold, ClaimKey key, AttemptProgress attemptProgress) {
    TaskFold task = fold.stage(key.stage()).task(key.task());
    return switch (attemptProgress) {
      case STARTED -> true;
      case NOT_STARTED -> task.excusedSince(fold.completedTasks()) == MOST_EXCUSED;
      case PRODUCED_TOKENS -> false;
    };
  }

  private static boolean tooOften(JobFold fold, ClaimKey key) {
    StageFold stage = fold.stage(key.stage());
    int before = stage.task(key.task()).recoveriesSince(fold.completedTasks());
    return before >= stage.plan().policy().recoveryCeiling();
  }

  /**
   * Releases every claim that was granted under an epoch that is over, because its workers are gone
   * with the process that granted it. A claim with a lease outlives that process: its worker may be
   * on another machine, and others watch the lease.
   *
   * @param over whether an epoch is over
   * @param traces how far each attempt had come
   */
  public static void recover(
      JobUpdate update, LongPredicate over, Function<ClaimKey, AttemptProgress> traces) {
    for (StageFold stage : update.fold().stages()) {
      for (int task = 1; task <= stage.size(); task++) {
        TaskFold at = stage.task(task);
        TaskFold.LoggedClaim held = at.lastClaim();
        if (at.state() == TaskState.IN_PROGRESS
            && held != null
            && held.lease() == null
            && over.test(held.token().epoch())) {
          ClaimKey key = new ClaimKey(stage.number(), task, held.token());
          recordLoss(update, key, WorkerLoss.CRASH, traces.apply(key));
        }
      }
    }
  }

  /**
   * IN_PROGRESS to RETRIED or FAILED: the attempt exceeded its run timeout, and its worker has not
   * reported it.
   *
   * @param random as for {@link #fail}
   */
  public static Outcome failOverrun(JobUpdate update, int stage, int task, double random) {
    Instant deadline = runDeadline(update.fold(), stage, task);
    FencingToken token = update.fold().stage(stage).task(task).token();
    if (deadline == null || token == null || update.steadyNow().isBefore(deadline)) {
      return new Outcome.Refused("task " + stage + "/" + task + " is not over its time");
    }
    Duration limit = update.fold().stage(stage).plan().policy().runTimeout();
    return fail(
        update,
        new ClaimKey(stage, task, token),
        Failure.of("run timeout: not finished within " + limit),
        random);
  }

  /** PENDING or RETRIED to FAILED: the task exceeded its queue timeout. */
  public static Outcome expire(JobUpdate update, int stage, int task) {
    Instant deadline = queueDeadline(update.fold(), stage, task);
    if (deadline == null || update.steadyNow().isBefore(deadline)) {
      return new Outcome.Refused("task " + stage + "/" + task + " is not overdue");
    }
    Duration limit = update.fold().stage(stage).plan().policy().queueTimeout();
    update.record(
        new Fact.TaskChanged(
            stage,
            task,
            TaskEvent.EXPIRE,
            new Detail.Ended("queue timeout: not claimed within " + limit)));
    update.runCascade();
    return Outcome.DONE;
  }

  /**
   * The steady time at which the system fails a running attempt; null if it has no limit or does
   * not run.
   */
  public static @Nullable Instant runDeadline(JobFold fold, int stage, int task) {
    Duration limit = fold.stage(stage).plan().policy().runTimeout();
    TaskFold at = fold.stage(stage).task(task);
    return limit == null || at.state() != TaskState.IN_PROGRESS
        ? null
        : at.stateSince().steady().plus(limit).plus(OVERRUN_GRACE);
  }

  /**
   * The steady time at which a waiting task exceeds its queue timeout; null if it has none or
   * cannot be claimed now. Only time in which the task can be claimed counts, not time behind a
   * gate, in a pause or in a backoff.
   */
  public static @Nullable Instant queueDeadline(JobFold fold, int stage, int task) {
    StageFold of = fold.stage(stage);
    TaskFold at = of.task(task);
    Duration limit = of.plan().policy().queueTimeout();
    if (limit == null || !at.state().isQueued() || !fold.state().isOpen() || !of.state().isOpen()) {
      return null;
    }
    Moment from = later(at.stateSince(), at.notBefore());
    return later(later(from, of.openSince()), fold.openSince()).steady().plus(limit);
  }

  /** What the worker of a claim does next. */
  public static ClaimSignal signal(JobFold fold, ClaimKey key) {
    return switch (checkFence(fold, key)) {
      case Outcome.Done _ ->
          fold.state() == JobState.PAUSED || fold.stage(key.stage()).state() == StageState.WAITING
              ? ClaimSignal.PAUSE
              : ClaimSignal.CONTINUE;
      case Outcome.Cancelled _ -> ClaimSignal.CANCEL;
      default -> ClaimSignal.LOST;
    };
  }

  /** Done if {@code key} is the task's present claim. */
  public static Outcome checkFence(JobFold fold, ClaimKey key) {
    if (!fold.hasStage(key.stage()) || !fold.stage(key.stage()).hasTask(key.task())) {
      return new Outcome.Missing("no task " + key.stage() + "/" + key.task());
    }
    TaskFold task = fold.stage(key.stage()).task(key.task());
    String name = "task " + key.stage() + "/" + key.task();
    if (!key.token().equals(task.token())) {
      return new Outcome.Fenced(
          name + ": token " + key.token() + " is not that of the present claim");
    }
    return switch (task.state()) {
      case IN_PROGRESS -> Outcome.DONE;
      case ABORTED ->
          new Outcome.Cancelled(
              fold.state().isFinal()
                  ? name + ": its job is " + fold.state()
                  : name + ": its stage has failed");
      default ->
          new Outcome.Fenced(
              name + ": the claim " + key.token() + " has ended; the task is " + task.state());
    };
  }

  private static Moment later(Moment a, @Nullable Moment b) {
    return b == null || a.steady().isAfter(b.steady()) ? a : b;
  }
}

package dev.millrace.core.store;

import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task as a reader sees it. {@code stage} and {@code task} count from 1.
 *
 * @param attempts failures so far
 * @param token of its last claim, which may have ended
 * @param bare whether the worker of that claim cannot say the token
 * @param updatedAt when it entered its present state, or its metadata was replaced since
 * @param notBefore end of its backoff, while it runs
 */
public record TaskView(
    int stage,
    int task,
    TaskState state,
    int attempts,
    int maxAttempts,
    @Nullable String worker,
    @Nullable FencingToken token,
    boolean tokenless,
    Instant createdAt,
    Instant updatedAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable Instant notBefore,
    @Nullable Object input,
    JsonObject metadata,
    @Nullable TraceContext trace,
    @Nullable TaskResult result,
    @Nullable String error) {

  /**
   * @param asked the task as it was asked for or, of a template, rendered; null where it cannot be
   *     read
   */
  public static TaskView of(
      StageFold stage, int number, @Nullable TaskSpec asked, @Nullable TaskResult result) {
    return of(stage.number(), stage.plan(), number, stage.task(number), asked, result);
  }

  /** As the other, of a task as it was at one moment. */
  public static TaskView of(
      int stage,
      StagePlan plan,
      int number,
      TaskFold fold,
      @Nullable TaskSpec asked,
      @Nullable TaskResult result) {
    JsonObject given = asked == null ? JsonObject.create() : asked.metadata();
    return new TaskView(
        stage,
        number,
        fold.state(),
        fold.attempts(),
        fold.maxAttempts(plan.policy()),
        fold.worker(),
        fold.token(),
        fold.lastClaim() != null && fold.lastClaim().tokenless(),
        fold.createdAt(),
        fold.updatedAt(),
        fold.startedAt(),
        fold.completedAt(),
        fold.notBefore(),
        asked == null ? null : asked.input(),
        fold.metadata() == null ? given : fold.metadata(),
        asked == null ? null : asked.trace(),
        result,
        fold.error());
  }
}

package dev.millrace.http.jobnik.entity;

import dev.millrace.api.ApiTask;
import dev.millrace.api.ApiTimestamps;
import dev.millrace.api.ClaimedTask;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/** Maps a task of the store to the records of the API. */
public final class ApiTaskMapper {
  private ApiTaskMapper() {}

  public static ApiTask of(StageContext context, TaskView task) {
    return new ApiTask(
        context.task(task.task()).uuid(),
        EntityId.of(context.job(), context.stage()).uuid(),
        ApiTask.wrapInput(task.input()),
        task.metadata(),
        task.state(),
        task.attempts(),
        task.maxAttempts(),
        new ApiTimestamps(task.createdAt(), task.updatedAt(), task.startedAt(), task.completedAt()),
        task.notBefore(),
        task.worker(),
        task.result(),
        task.error(),
        task.adoption(),
        trace(context, task.trace()));
  }

  private static TraceContext trace(StageContext context, @Nullable TraceContext own) {
    return own == null || !own.isStarted() ? context.trace() : own;
  }

  /** A task for the worker that claims it, with what the worker needs to process it. */
  public static ClaimedTask claimed(StageContext context, Claim claim) {
    return new ClaimedTask(
        of(context, claim.view()),
        EntityId.of(claim.job()).uuid(),
        claim.type(),
        context.jobData(),
        claim.data(),
        claim.attempt(),
        claim.tokenless() ? null : claim.key().token().toString(),
        claim.lease(),
        claim.runTimeout());
  }
}

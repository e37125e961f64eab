package dev.millrace.client;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the API tells, in core's words. */
final class ApiViewConverter {
  private ApiViewConverter() {}

  static JobView toJobView(JobId id, ApiJob job) {
    return new JobView(
        new JobHeader(
            id,
            job.name(),
            job.priority(),
            toJobId(job.parent()),
            toJobId(job.retryOf()),
            job.tags(),
            job.userMetadata(),
            !job.sealed(),
            job.data(),
            job.trace(),
            List.of()),
        job.status(),
        job.creationTime(),
        job.updateTime(),
        job.startTime(),
        job.endTime(),
        job.error(),
        0,
        job.stages().stream().map(ApiViewConverter::stage).toList());
  }

  private static JobView.StageView stage(ApiStage stage) {
    StageSpec spec =
        new StageSpec(
            stage.type(),
            stage.gate(),
            FailureTolerance.NONE,
            TaskPolicy.DEFAULT,
            List.of(),
            null,
            stage.data(),
            stage.userMetadata(),
            stage.trace());
    return new JobView.StageView(
        stage.order(),
        stage.type(),
        stage.gate(),
        stage.status(),
        stage.summary().total(),
        stage.summary().byState(),
        stage.startTime(),
        stage.endTime(),
        stage.error(),
        spec,
        stage.userMetadata());
  }

  static TaskView toTaskView(JobId job, ApiTask task) {
    EntityId id =
        EntityId.of(task.id(), job)
            .orElseThrow(() -> new JsonException("task " + task.id() + " is not of job " + job));
    return new TaskView(
        id.stage(),
        id.task(),
        task.status(),
        task.attempts(),
        task.maxAttempts(),
        task.worker(),
        null,
        false,
        task.creationTime(),
        task.updateTime(),
        task.startTime(),
        task.endTime(),
        task.notBefore(),
        task.input(),
        task.userMetadata(),
        task.trace(),
        result(task),
        task.error());
  }

  private static @Nullable TaskResult result(ApiTask task) {
    String text = task.result();
    if (text == null) {
      return null;
    }
    String kind = task.resultKind();
    return new TaskResult(
        kind == null ? TaskResult.Kind.RESULT : TaskResult.Kind.valueOf(kind),
        text,
        task.receipt());
  }

  /** The job that a UUID names; null for one whose own name is hashed in it. */
  static @Nullable JobId toJobId(@Nullable String uuid) {
    return uuid == null
        ? null
        : EntityId.parse(uuid).flatMap(EntityId::of).map(EntityId::job).orElse(null);
  }
}

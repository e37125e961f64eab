package dev.millrace.http.jobnik.entity;

import dev.millrace.api.TraceFields;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.job.IsoTime;

/** A stage as Jobnik's clients read it. */
public final class ApiStageMapper {
  private ApiStageMapper() {}

  public static JsonObject of(JobView job, StageView stage) {
    JsonObject out =
        JsonObject.create()
            .put("id", EntityId.of(job.header().id(), stage.number()).toString())
            .put("jobId", EntityId.of(job.header().id()).toString())
            .put("type", stage.type())
            .put("order", stage.number())
            .put("data", stage.spec().data())
            .put("userMetadata", stage.metadata())
            .put("status", stage.state().name())
            .put("percentage", percentage(stage))
            .put("summary", summary(stage))
            .put("gate", stage.gate())
            .putIfPresent("startTime", IsoTime.format(stage.startedAt()))
            .putIfPresent("endTime", IsoTime.format(stage.completedAt()))
            .putIfPresent("error", stage.error());
    return TraceFields.put(out, stage.spec().trace(), job.header().trace());
  }

  public static JsonObject summary(StageView stage) {
    return JsonObject.create()
        .put("pending", count(stage, TaskState.PENDING))
        .put("inProgress", count(stage, TaskState.IN_PROGRESS))
        .put("completed", count(stage, TaskState.COMPLETED))
        .put("failed", count(stage, TaskState.FAILED))
        .put("created", count(stage, TaskState.CREATED))
        .put("retried", count(stage, TaskState.RETRIED))
        .put("aborted", count(stage, TaskState.ABORTED))
        .put("total", stage.total());
  }

  private static int count(StageView stage, TaskState state) {
    return stage.tasks().getOrDefault(state, 0);
  }

  /** A stage that collects failures, or is empty, is done when it is completed. */
  private static int percentage(StageView stage) {
    return stage.state() == StageState.COMPLETED
        ? 100
        : JsonNumbers.percent(count(stage, TaskState.COMPLETED), stage.total());
  }
}

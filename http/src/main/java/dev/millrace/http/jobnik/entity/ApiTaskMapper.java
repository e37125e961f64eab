package dev.millrace.http.jobnik.entity;

import dev.millrace.api.TraceFields;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.job.IsoTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A task as Jobnik's clients read it. */
public final class ApiTaskMapper {
  private ApiTaskMapper() {}

  public static JsonObject of(StageContext lineage, TaskView task) {
    JsonObject out =
        JsonObject.create()
            .put("id", lineage.task(task.task()).toString())
            .put("stageId", EntityId.of(lineage.job(), lineage.stage()).toString())
            .put("data", data(task.input()))
            .put("userMetadata", task.metadata())
            .put("status", task.state().name())
            .put("attempts", task.attempts())
            .put("maxAttempts", task.maxAttempts())
            .put("creationTime", task.createdAt().toString())
            .put("updateTime", task.updatedAt().toString())
            .putIfPresent("startTime", IsoTime.format(task.startedAt()))
            .putIfPresent("endTime", IsoTime.format(task.completedAt()))
            .putIfPresent("notBefore", IsoTime.format(task.notBefore()))
            .putIfPresent("worker", task.worker());
    putResult(out, task.result());
    out.putIfPresent("error", task.error());
    return TraceFields.put(out, task.trace(), lineage.trace());
  }

  /** A task in the hands of the worker that asked for it, with what it needs to work on it. */
  public static JsonObject claimed(StageContext lineage, Claim claim) {
    JsonObject out =
        of(lineage, claim.view())
            .put("jobId", EntityId.of(claim.job()).toString())
            .put("stageType", claim.type());
    if (!lineage.jobData().values().isEmpty()) {
      out.put("jobData", lineage.jobData());
    }
    out.put("stageData", claim.data()).put("attempt", claim.attempt());
    if (!claim.tokenless()) {
      out.put("token", claim.key().token().toString());
    }
    return out.putIfPresent("leaseSeconds", JsonNumbers.seconds(claim.lease()))
        .putIfPresent("runTimeoutSeconds", JsonNumbers.seconds(claim.runTimeout()));
  }

  private static void putResult(JsonObject out, @Nullable TaskResult result) {
    if (result != null) {
      out.put("result", result.text());
      if (result.kind() != TaskResult.Kind.RESULT) {
        out.put("resultKind", result.kind().name());
      }
      out.putIfPresent("receipt", result.receipt());
    }
  }

  /** Jobnik's data is an object, an input of ours may be anything. */
  private static Object data(@Nullable Object input) {
    return input instanceof Map<?, ?> || input instanceof JsonObject
        ? input
        : JsonObject.create().put("input", input);
  }
}

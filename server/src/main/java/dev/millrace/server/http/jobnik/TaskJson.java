package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.server.http.Times;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A task as Jobnik's clients read it. */
final class TaskJson {
  private TaskJson() {}

  static JsonObject of(Lineage lineage, TaskView task) {
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
            .putIfPresent("startTime", Times.text(task.startedAt()))
            .putIfPresent("endTime", Times.text(task.completedAt()))
            .putIfPresent("notBefore", Times.text(task.notBefore()))
            .putIfPresent("worker", task.worker());
    putResult(out, task.result());
    out.putIfPresent("error", task.error());
    return TraceJson.put(out, task.trace(), lineage.trace());
  }

  /** A task in the hands of the worker that asked for it, with what it needs to work on it. */
  static JsonObject claimed(Lineage lineage, Claim claim) {
    JsonObject out =
        of(lineage, claim.view())
            .put("jobId", EntityId.of(claim.job()).toString())
            .put("stageType", claim.type());
    if (!lineage.jobData().values().isEmpty()) {
      out.put("jobData", lineage.jobData());
    }
    out.put("stageData", claim.data()).put("attempt", claim.attempt());
    if (!claim.bare()) {
      out.put("token", claim.hold().token().toString());
    }
    return out.putIfPresent("leaseSeconds", Figures.seconds(claim.lease()))
        .putIfPresent("runTimeoutSeconds", Figures.seconds(claim.runTimeout()));
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

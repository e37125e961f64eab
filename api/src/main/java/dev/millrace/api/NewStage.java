package dev.millrace.api;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.FailureTolerance;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A request to add a stage to an open job; tasks are added later.
 *
 * @param startAsWaiting whether the stage waits for approval before it starts
 */
public record NewStage(
    String type,
    JsonObject data,
    JsonObject userMetadata,
    boolean startAsWaiting,
    TaskPolicy policy,
    FailureTolerance tolerance,
    @Nullable TraceContext trace) {

  public NewStage {
    StageSpec.requireType(type);
  }

  public static NewStage of(String type) {
    return new NewStage(
        type,
        JsonObject.create(),
        JsonObject.create(),
        false,
        TaskPolicy.DEFAULT,
        FailureTolerance.NONE,
        null);
  }

  public NewStage data(JsonObject value) {
    return new NewStage(type, value, userMetadata, startAsWaiting, policy, tolerance, trace);
  }

  public NewStage userMetadata(JsonObject value) {
    return new NewStage(type, data, value, startAsWaiting, policy, tolerance, trace);
  }

  public NewStage waiting() {
    return new NewStage(type, data, userMetadata, true, policy, tolerance, trace);
  }

  public NewStage policy(TaskPolicy value) {
    return new NewStage(type, data, userMetadata, startAsWaiting, value, tolerance, trace);
  }

  public NewStage tolerance(FailureTolerance value) {
    return new NewStage(type, data, userMetadata, startAsWaiting, policy, value, trace);
  }

  public NewStage trace(@Nullable TraceContext value) {
    return new NewStage(type, data, userMetadata, startAsWaiting, policy, tolerance, value);
  }

  public JsonObject toJson() {
    JsonObject out = JsonObject.create().put("type", type).put("data", data);
    JsonFields.putUnlessEmpty(out, "userMetadata", userMetadata);
    if (startAsWaiting) {
      out.put("startAsWaiting", true);
    }
    JobDocument.writePolicy(out, policy);
    JobDocument.writeBackoff(out, policy.backoff()); // without one, the server chooses
    if (tolerance.collect()) {
      out.put("collect", true).put("tolerate", tolerance.share());
    }
    TraceFields.putIfPresent(out, trace);
    return out;
  }
}

package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stage in an answer of the Jobnik API.
 *
 * @param order the number of the stage in its job, from 1
 * @param percentage the share of completed tasks, in percent
 * @param gate whether the stage waits for approval before it starts
 * @param error why the stage failed
 * @param levers what a user can do to it now: {@code approve}, or nothing
 * @param tasks the first tasks; empty unless the request asks for them
 */
public record ApiStage(
    UUID id,
    UUID jobId,
    String type,
    int order,
    JsonObject data,
    JsonObject userMetadata,
    StageState status,
    int percentage,
    StageSummary summary,
    boolean gate,
    @Nullable Instant startTime,
    @Nullable Instant endTime,
    @Nullable String error,
    @Nullable TraceContext trace,
    List<String> levers,
    List<ApiTask> tasks) {

  public ApiStage {
    levers = List.copyOf(levers);
    tasks = List.copyOf(tasks);
  }

  public static ApiStage fromJson(JsonObject in) {
    return new ApiStage(
        JsonFields.uuid(in, "id"),
        JsonFields.uuid(in, "jobId"),
        in.string("type"),
        JsonFields.integer(in, "order"),
        in.object("data"),
        in.object("userMetadata"),
        JsonFields.enumConstant(StageState.class, in, "status"),
        JsonFields.integer(in, "percentage"),
        StageSummary.fromJson(in.object("summary")),
        in.flag("gate", false),
        JsonFields.instantOrNull(in, "startTime"),
        JsonFields.instantOrNull(in, "endTime"),
        in.string("error", null),
        TraceFields.fromJson(in),
        JsonFields.strings(in, "levers"),
        JsonFields.list(in, "tasks", ApiTask::fromJson));
  }

  /**
   * The stage without its tasks. The server adds the field {@code tasks} itself, because it limits
   * their number by the size of each.
   */
  public JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("id", id.toString())
            .put("jobId", jobId.toString())
            .put("type", type)
            .put("order", order)
            .put("data", data)
            .put("userMetadata", userMetadata)
            .put("status", status.name())
            .put("percentage", percentage)
            .put("summary", summary.toJson())
            .put("gate", gate)
            .putIfPresent("startTime", JsonFields.text(startTime))
            .putIfPresent("endTime", JsonFields.text(endTime))
            .putIfPresent("error", error);
    TraceFields.putIfPresent(out, trace);
    return out.put("levers", levers);
  }
}

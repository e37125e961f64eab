package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A stage as the API tells it.
 *
 * @param order its number, from 1
 * @param percentage how many of its tasks are completed, in percent
 * @param gate whether it waits for approval when its turn comes
 * @param tasks the first of them; empty unless they were asked for
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
    List<ApiTask> tasks) {

  public ApiStage {
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
        JsonFields.trace(in),
        JsonFields.list(in, "tasks", ApiTask::fromJson));
  }
}

package dev.millrace.client.wire;

import dev.millrace.core.job.TraceContext;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
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

  public static ApiStage read(JsonObject in) {
    return new ApiStage(
        Fields.uuid(in, "id"),
        Fields.uuid(in, "jobId"),
        in.string("type"),
        Fields.count(in, "order"),
        in.object("data"),
        in.object("userMetadata"),
        Fields.word(StageState.class, in, "status"),
        Fields.count(in, "percentage"),
        StageSummary.read(in.object("summary")),
        in.flag("gate", false),
        Fields.instantOrNull(in, "startTime"),
        Fields.instantOrNull(in, "endTime"),
        in.string("error", null),
        Fields.trace(in),
        Fields.list(in, "tasks", ApiTask::read));
  }
}

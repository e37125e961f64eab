package dev.millrace.api;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as the API tells it.
 *
 * @param percentage how many of its stages are completed, in percent
 * @param sealed whether it was submitted whole and does not grow
 * @param stages in order; empty unless they were asked for
 */
public record ApiJob(
    UUID id,
    String name,
    JsonObject data,
    JsonObject userMetadata,
    Priority priority,
    JobState status,
    int percentage,
    Instant creationTime,
    Instant updateTime,
    @Nullable Instant startTime,
    @Nullable Instant endTime,
    @Nullable String error,
    boolean sealed,
    @Nullable TraceContext trace,
    List<String> tags,
    @Nullable String parent,
    @Nullable String retryOf,
    List<ApiStage> stages) {

  public ApiJob {
    tags = List.copyOf(tags);
    stages = List.copyOf(stages);
  }

  public static ApiJob fromJson(JsonObject in) {
    return new ApiJob(
        JsonFields.uuid(in, "id"),
        in.string("name"),
        in.object("data"),
        in.object("userMetadata"),
        JsonFields.enumConstant(Priority.class, in, "priority"),
        JsonFields.enumConstant(JobState.class, in, "status"),
        JsonFields.integer(in, "percentage"),
        JsonFields.instant(in, "creationTime"),
        JsonFields.instant(in, "updateTime"),
        JsonFields.instantOrNull(in, "startTime"),
        JsonFields.instantOrNull(in, "endTime"),
        in.string("error", null),
        in.flag("sealed", false),
        JsonFields.trace(in),
        JsonFields.strings(in, "tags"),
        in.string("parent", null),
        in.string("retryOf", null),
        JsonFields.list(in, "stages", ApiStage::fromJson));
  }
}

package dev.millrace.client.wire;

import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.job.TraceContext;
import dev.millrace.core.json.JsonObject;
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

  public static ApiJob read(JsonObject in) {
    return new ApiJob(
        Fields.uuid(in, "id"),
        in.string("name"),
        in.object("data"),
        in.object("userMetadata"),
        Fields.word(Priority.class, in, "priority"),
        Fields.word(JobState.class, in, "status"),
        Fields.count(in, "percentage"),
        Fields.instant(in, "creationTime"),
        Fields.instant(in, "updateTime"),
        Fields.instantOrNull(in, "startTime"),
        Fields.instantOrNull(in, "endTime"),
        in.string("error", null),
        in.flag("sealed", false),
        Fields.trace(in),
        Fields.texts(in, "tags"),
        in.string("parent", null),
        in.string("retryOf", null),
        Fields.list(in, "stages", ApiStage::read));
  }
}

package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task as the API tells it.
 *
 * @param data its input, or {@code {"input": …}} where the input is no object
 * @param attempts failures so far
 * @param notBefore end of its backoff
 * @param resultKind {@code EMBEDDING} where the result is a vector
 */
public record ApiTask(
    UUID id,
    UUID stageId,
    JsonObject data,
    JsonObject userMetadata,
    TaskState status,
    int attempts,
    int maxAttempts,
    Instant creationTime,
    Instant updateTime,
    @Nullable Instant startTime,
    @Nullable Instant endTime,
    @Nullable Instant notBefore,
    @Nullable String worker,
    @Nullable String result,
    @Nullable String resultKind,
    @Nullable JsonObject receipt,
    @Nullable String error,
    @Nullable TraceContext trace) {

  public static ApiTask fromJson(JsonObject in) {
    return new ApiTask(
        JsonFields.uuid(in, "id"),
        JsonFields.uuid(in, "stageId"),
        in.object("data"),
        in.object("userMetadata"),
        JsonFields.enumConstant(TaskState.class, in, "status"),
        JsonFields.integer(in, "attempts"),
        JsonFields.integer(in, "maxAttempts"),
        JsonFields.instant(in, "creationTime"),
        JsonFields.instant(in, "updateTime"),
        JsonFields.instantOrNull(in, "startTime"),
        JsonFields.instantOrNull(in, "endTime"),
        JsonFields.instantOrNull(in, "notBefore"),
        in.string("worker", null),
        in.string("result", null),
        in.string("resultKind", null),
        in.has("receipt") ? in.object("receipt") : null,
        in.string("error", null),
        JsonFields.trace(in));
  }

  /** What the task is about: the object in {@code data}, or the value that it wraps. */
  public @Nullable Object input() {
    boolean wrapped = data.values().size() == 1 && data.values().containsKey("input");
    Object only = wrapped ? data.get("input") : null;
    return wrapped && !(only instanceof Map<?, ?>) ? only : data.values();
  }
}

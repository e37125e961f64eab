package dev.millrace.api;

import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A task in an answer of the Jobnik API.
 *
 * @param data the input; {@code {"input": …}} where the input is not an object
 * @param attempts failed attempts so far
 * @param notBefore the end of the backoff after a failed attempt
 * @param worker the name of the worker that has claimed the task
 * @param output the result with its kind and receipt; null until the task is completed
 * @param error why the last attempt failed
 * @param adoptedFrom where the result is from, if a retry took it over; else null
 */
public record ApiTask(
    UUID id,
    UUID stageId,
    JsonObject data,
    JsonObject userMetadata,
    TaskState status,
    int attempts,
    int maxAttempts,
    ApiTimestamps times,
    @Nullable Instant notBefore,
    @Nullable String worker,
    @Nullable TaskResult output,
    @Nullable String error,
    @Nullable Adoption adoptedFrom,
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
        ApiTimestamps.fromJson(in),
        JsonFields.instantOrNull(in, "notBefore"),
        in.string("worker", null),
        in.has("result") ? readOutput(in) : null,
        in.string("error", null),
        in.has("adoptedFrom") ? readAdoption(in.object("adoptedFrom")) : null,
        TraceFields.fromJson(in));
  }

  private static Adoption readAdoption(JsonObject in) {
    return new Adoption(
        new JobId(in.string("job")),
        JsonFields.integer(in, "task"),
        Instant.parse(in.string("submitted")));
  }

  private static TaskResult readOutput(JsonObject in) {
    return new TaskResult(
        in.has("resultKind")
            ? JsonFields.enumConstant(TaskResult.Kind.class, in, "resultKind")
            : TaskResult.Kind.RESULT,
        in.string("result"),
        in.has("receipt") ? in.object("receipt") : null);
  }

  public JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("id", id.toString())
            .put("stageId", stageId.toString())
            .put("data", data)
            .put("userMetadata", userMetadata)
            .put("status", status.name())
            .put("attempts", attempts)
            .put("maxAttempts", maxAttempts);
    times.putInto(out);
    out.putIfPresent("notBefore", JsonFields.text(notBefore)).putIfPresent("worker", worker);
    if (output != null) {
      putOutput(out, output);
    }
    out.putIfPresent("error", error);
    if (adoptedFrom != null) {
      out.put(
          "adoptedFrom",
          JsonObject.create()
              .put("job", adoptedFrom.job().value())
              .put("task", adoptedFrom.task())
              .put("submitted", adoptedFrom.submittedAt().toString()));
    }
    TraceFields.putIfPresent(out, trace);
    return out;
  }

  /** The kind is left out where the result is text, as in Jobnik. */
  private static void putOutput(JsonObject out, TaskResult output) {
    out.put("result", output.text());
    if (output.kind() != TaskResult.Kind.RESULT) {
      out.put("resultKind", output.kind().name());
    }
    out.putIfPresent("receipt", output.receipt());
  }

  /** Makes {@code data} from an input, which may be any JSON value. */
  public static JsonObject wrapInput(@Nullable Object input) {
    return input instanceof Map<?, ?> || input instanceof JsonObject
        ? JsonObject.of(input, "data")
        : JsonObject.create().put("input", input);
  }

  /** The input of the task: the object in {@code data}, or the value that it wraps. */
  public @Nullable Object input() {
    boolean wrapped = data.values().size() == 1 && data.values().containsKey("input");
    Object only = wrapped ? data.get("input") : null;
    return wrapped && !(only instanceof Map<?, ?>) ? only : data.values();
  }

  /** The text of the result; null until the task is completed. */
  public @Nullable String result() {
    return output == null ? null : output.text();
  }

  /** How the result was produced; null where the worker gives no receipt. */
  public @Nullable JsonObject receipt() {
    return output == null ? null : output.receipt();
  }

  public Instant creationTime() {
    return times.creationTime();
  }

  public Instant updateTime() {
    return times.updateTime();
  }

  public @Nullable Instant startTime() {
    return times.startTime();
  }

  public @Nullable Instant endTime() {
    return times.endTime();
  }
}

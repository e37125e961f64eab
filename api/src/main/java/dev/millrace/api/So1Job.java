package dev.millrace.api;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job in an answer of the so1 API.
 *
 * @param paused whether it waits to be resumed; its state is then {@code PENDING}, or {@code
 *     RUNNING} if it had started
 * @param output any JSON value; null until the job ends. Of a job that failed or was cancelled: the
 *     text so far, if any
 * @param error null unless the job failed
 * @param reason why it was cancelled; null if nobody said why
 * @param logs the last lines of the log, as text
 */
public record So1Job(
    UUID id,
    So1State state,
    boolean paused,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable Object output,
    @Nullable ErrorDetail error,
    @Nullable String reason,
    List<String> logs,
    Metadata metadata) {

  /** Why a job failed. */
  public record ErrorDetail(String code, String message) {
    static ErrorDetail fromJson(JsonObject in) {
      return new ErrorDetail(in.string("code"), in.string("message"));
    }

    public JsonObject toJson() {
      return JsonObject.create().put("code", code).put("message", message);
    }
  }

  /**
   * Who submitted the job, and what for.
   *
   * @param inputs redacted: what could be private is replaced by its length
   */
  public record Metadata(
      @Nullable String requestId,
      @Nullable String userId,
      @Nullable String orgId,
      String action,
      JsonObject inputs) {
    static Metadata fromJson(JsonObject in) {
      return new Metadata(
          in.string("requestId", null),
          in.string("userId", null),
          in.string("orgId", null),
          in.string("action"),
          in.object("inputs"));
    }

    /** The server also stores this with the job, so {@code inputs} is written as a plain map. */
    public JsonObject toJson() {
      return JsonObject.create()
          .put("requestId", requestId)
          .put("userId", userId)
          .put("orgId", orgId)
          .put("action", action)
          .put("inputs", inputs.values());
    }
  }

  public So1Job {
    logs = List.copyOf(logs);
  }

  public static So1Job fromJson(JsonObject in) {
    return new So1Job(
        JsonFields.uuid(in, "id"),
        state(in),
        in.flag("paused", false),
        JsonFields.instant(in, "createdAt"),
        JsonFields.instantOrNull(in, "startedAt"),
        JsonFields.instantOrNull(in, "completedAt"),
        in.get("output"),
        errorDetail(in),
        in.string("reason", null),
        JsonFields.strings(in, "logs"),
        Metadata.fromJson(in.object("metadata")));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("id", id.toString())
        .put("state", state.word())
        .putIfPresent("paused", paused ? true : null)
        .put("createdAt", createdAt.toString())
        .putIfPresent("startedAt", JsonFields.text(startedAt))
        .putIfPresent("completedAt", JsonFields.text(completedAt))
        .putIfPresent("output", output)
        .putIfPresent("error", error == null ? null : error.toJson())
        .putIfPresent("reason", reason)
        .put("logs", logs)
        .put("metadata", metadata.toJson());
  }

  static So1State state(JsonObject in) {
    try {
      return So1State.fromWord(in.string("state"));
    } catch (IllegalArgumentException e) {
      throw new JsonException("\"state\" has a value that is not known: " + in.get("state"));
    }
  }

  static @Nullable ErrorDetail errorDetail(JsonObject in) {
    return in.has("error") ? ErrorDetail.fromJson(in.object("error")) : null;
  }
}

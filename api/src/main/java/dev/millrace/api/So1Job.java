package dev.millrace.api;

import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as so1 tells it.
 *
 * @param output any JSON value, once it succeeded
 * @param logs its log as lines of text
 */
public record So1Job(
    UUID id,
    So1State state,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable Object output,
    @Nullable ErrorDetail error,
    List<String> logs,
    Metadata metadata) {

  /** Why it failed. */
  public record ErrorDetail(String code, String message) {
    static ErrorDetail fromJson(JsonObject in) {
      return new ErrorDetail(in.string("code"), in.string("message"));
    }
  }

  /** Who asked for it and what for; inputs that could be private are redacted. */
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
  }

  public So1Job {
    logs = List.copyOf(logs);
  }

  public static So1Job fromJson(JsonObject in) {
    return new So1Job(
        JsonFields.uuid(in, "id"),
        state(in),
        JsonFields.instant(in, "createdAt"),
        JsonFields.instantOrNull(in, "startedAt"),
        JsonFields.instantOrNull(in, "completedAt"),
        in.get("output"),
        errorDetail(in),
        JsonFields.strings(in, "logs"),
        Metadata.fromJson(in.object("metadata")));
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

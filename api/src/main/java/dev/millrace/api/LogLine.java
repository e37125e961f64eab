package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import java.time.Instant;

/**
 * A line of the log of a job.
 *
 * @param cursor the number of the line; a request with this cursor starts after it
 */
public record LogLine(long cursor, Instant at, String level, String line) {
  public static LogLine fromJson(JsonObject in) {
    return new LogLine(
        in.integer("cursor"),
        JsonFields.instant(in, "at"),
        in.has("level") ? in.string("level") : "info",
        in.string("line"));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("cursor", cursor)
        .put("at", at.toString())
        .put("level", level)
        .put("line", line);
  }
}

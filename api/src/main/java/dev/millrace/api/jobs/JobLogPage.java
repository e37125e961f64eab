package dev.millrace.api.jobs;

import dev.millrace.api.JsonFields;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a job's log.
 *
 * @param entries as in {@code events.jsonl}, without secrets
 * @param next where the next part begins; null if this is the last one
 * @param lastEvent the number of the last entry
 */
public record JobLogPage(List<JsonObject> entries, @Nullable Long next, long lastEvent) {
  public static JobLogPage fromJson(JsonObject in) {
    return new JobLogPage(
        JsonFields.list(in, "entries", entry -> entry),
        in.has("next") ? (Long) in.integer("next") : null,
        in.integer("lastEvent"));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("entries", entries)
        .putIfPresent("next", next)
        .put("lastEvent", lastEvent);
  }
}

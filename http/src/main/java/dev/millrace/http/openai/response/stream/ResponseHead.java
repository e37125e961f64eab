package dev.millrace.http.openai.response.stream;

import dev.millrace.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a response from its start, and never changes.
 *
 * @param createdAt in seconds since 1970
 * @param request the effective fields of the request that the response repeats
 */
public record ResponseHead(
    ResponseIds ids, long createdAt, boolean background, JsonObject request) {

  /** The response without output. */
  public JsonObject response(ResponseStatus status) {
    return response(status, null, List.of());
  }

  /**
   * The response as an object with all its fields.
   *
   * @param end null while it runs
   * @param output its items
   */
  public JsonObject response(
      ResponseStatus status,
      @Nullable ResponseEnd end,
      List<Map<String, @Nullable Object>> output) {
    JsonObject response =
        JsonObject.create()
            .put("id", ids.response())
            .put("object", "response")
            .put("created_at", createdAt)
            .put("completed_at", end == null ? null : end.completedAt())
            .put("status", status.word())
            .put("error", end == null || end.error() == null ? null : end.error().toJson().values())
            .put("incomplete_details", incompleteDetails(status))
            .put("output", output)
            .put(
                "usage", end == null || end.usage() == null ? null : end.usage().toJson().values());
    response.values().putAll(request.values());
    return response;
  }

  private static @Nullable Object incompleteDetails(ResponseStatus status) {
    return status == ResponseStatus.INCOMPLETE
        ? JsonObject.create().put("reason", "max_output_tokens").values()
        : null;
  }
}

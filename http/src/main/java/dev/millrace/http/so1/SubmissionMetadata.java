package dev.millrace.http.so1;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import dev.millrace.http.route.ApiRequest;
import java.util.Map;

/**
 * Where a job came from, kept in its metadata.
 *
 * @param inputs redacted
 */
record SubmissionMetadata(String requestId, String userId, String action, JsonObject inputs) {
  /** Under which it is kept. */
  static final String NAME = "so1";

  /** There is one organisation: whoever runs the server. */
  static final String ORGANISATION = "default";

  /** For jobs that came another way. */
  private static final String NO_REQUEST = "00000000-0000-0000-0000-000000000000";

  static SubmissionMetadata of(ApiRequest call, String action, JsonObject inputs) {
    return new SubmissionMetadata(call.requestId(), call.principal().name(), action, inputs);
  }

  /** As it is kept, or what can be told of a job without it: anybody may write metadata. */
  static SubmissionMetadata of(JobView view) {
    if (view.header().metadata().get(NAME) instanceof Map<?, ?> kept
        && kept.get("requestId") instanceof String request
        && kept.get("userId") instanceof String user
        && kept.get("action") instanceof String action
        && kept.get("inputs") instanceof Map<?, ?> inputs) {
      return new SubmissionMetadata(request, user, action, JsonObject.of(inputs, "inputs"));
    }
    String first = view.stages().isEmpty() ? "pipeline" : view.stages().getFirst().type();
    return new SubmissionMetadata(NO_REQUEST, "unknown", first, JsonObject.create());
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("requestId", requestId)
        .put("userId", userId)
        .put("orgId", ORGANISATION)
        .put("action", action)
        .put("inputs", inputs.values());
  }
}

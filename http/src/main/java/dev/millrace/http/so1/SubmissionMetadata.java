package dev.millrace.http.so1;

import dev.millrace.api.So1Job;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.ApiRequest;
import java.util.Map;

/** Who submitted a job and what for: stored in the metadata of the job. */
final class SubmissionMetadata {
  /** The field of the job's metadata. */
  static final String NAME = "so1";

  /** The request id of a job that was not submitted through this API. */
  private static final String NO_REQUEST = "00000000-0000-0000-0000-000000000000";

  private SubmissionMetadata() {}

  /**
   * @param inputs redacted
   */
  static So1Job.Metadata of(ApiRequest call, String action, JsonObject inputs) {
    return metadata(call.requestId(), call.principal().name(), action, inputs);
  }

  /** Anybody may write metadata: what does not have the stored form counts as missing. */
  static So1Job.Metadata of(JobView view) {
    if (view.header().metadata().get(NAME) instanceof Map<?, ?> stored
        && stored.get("requestId") instanceof String request
        && stored.get("userId") instanceof String user
        && stored.get("action") instanceof String action
        && stored.get("inputs") instanceof Map<?, ?> inputs) {
      return metadata(request, user, action, JsonObject.of(inputs, "inputs"));
    }
    String first = view.stages().isEmpty() ? "pipeline" : view.stages().getFirst().type();
    return metadata(NO_REQUEST, "unknown", first, JsonObject.create());
  }

  private static So1Job.Metadata metadata(
      String requestId, String userId, String action, JsonObject inputs) {
    return new So1Job.Metadata(requestId, userId, Principal.ORGANISATION, action, inputs);
  }
}

package dev.millrace.api.jobs;

import dev.millrace.api.JsonFields;
import dev.millrace.core.json.JsonObject;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of a bulk action, job by job in the order of the request.
 *
 * @param done how many jobs it was done to
 */
public record BulkResult(int done, int refused, List<Outcome> outcomes) {

  /**
   * What became of it for one job.
   *
   * @param newJobId the new job, if it was run again
   * @param code of the error, as a request for this job alone would give; null if it is done
   * @param reason why it is not done; null if it is
   */
  public record Outcome(
      UUID jobId,
      boolean done,
      @Nullable UUID newJobId,
      @Nullable String code,
      @Nullable String reason) {

    public static Outcome fromJson(JsonObject in) {
      return new Outcome(
          JsonFields.uuid(in, "jobId"),
          in.flag("done", false),
          JsonFields.uuidOrNull(in, "newJobId"),
          in.string("code", null),
          in.string("reason", null));
    }

    public JsonObject toJson() {
      return JsonObject.create()
          .put("jobId", jobId.toString())
          .put("done", done)
          .putIfPresent("newJobId", JsonFields.text(newJobId))
          .putIfPresent("code", code)
          .putIfPresent("reason", reason);
    }
  }

  /** The result with these outcomes. */
  public static BulkResult of(List<Outcome> outcomes) {
    int done = (int) outcomes.stream().filter(Outcome::done).count();
    return new BulkResult(done, outcomes.size() - done, outcomes);
  }

  public static BulkResult fromJson(JsonObject in) {
    return new BulkResult(
        JsonFields.integer(in, "done"),
        JsonFields.integer(in, "refused"),
        JsonFields.list(in, "outcomes", Outcome::fromJson));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("done", done)
        .put("refused", refused)
        .put("outcomes", outcomes.stream().map(Outcome::toJson).toList());
  }
}

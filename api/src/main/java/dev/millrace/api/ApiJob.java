package dev.millrace.api;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job in an answer of the Jobnik API.
 *
 * @param percentage the share of completed stages, in percent
 * @param error why the job failed
 * @param sealed whether the job was submitted as a whole, so that no stages can be added
 * @param parent the job that created this one
 * @param retryOf the job that this one repeats
 * @param ownId the job's id in its workspace, as {@code millrace work} prints it; null if the answer
 *     has none
 * @param waitsForApproval the stage that waits for nothing but an approval; null if none does
 * @param submittedBy the name of the API key that submitted it; null if it came without one
 * @param levers what a user can do to it in its state: {@code pause}, {@code retry}, …
 * @param stages in order; empty unless the request asks for them
 */
public record ApiJob(
    UUID id,
    String name,
    JsonObject data,
    JsonObject userMetadata,
    Priority priority,
    JobState status,
    int percentage,
    ApiTimestamps times,
    @Nullable String error,
    boolean sealed,
    @Nullable TraceContext trace,
    List<String> tags,
    @Nullable UUID parent,
    @Nullable UUID retryOf,
    @Nullable JobId ownId,
    @Nullable Integer waitsForApproval,
    @Nullable String submittedBy,
    List<String> levers,
    List<ApiStage> stages) {

  public ApiJob {
    tags = List.copyOf(tags);
    levers = List.copyOf(levers);
    stages = List.copyOf(stages);
  }

  public static ApiJob fromJson(JsonObject in) {
    return new ApiJob(
        JsonFields.uuid(in, "id"),
        in.string("name"),
        in.object("data"),
        in.object("userMetadata"),
        JsonFields.enumConstant(Priority.class, in, "priority"),
        JsonFields.enumConstant(JobState.class, in, "status"),
        JsonFields.integer(in, "percentage"),
        ApiTimestamps.fromJson(in),
        in.string("error", null),
        in.flag("sealed", false),
        TraceFields.fromJson(in),
        JsonFields.strings(in, "tags"),
        JsonFields.uuidOrNull(in, "parent"),
        JsonFields.uuidOrNull(in, "retryOf"),
        in.has("ownId") ? new JobId(in.string("ownId")) : null,
        in.has("waitsForApproval") ? JsonFields.integer(in, "waitsForApproval") : null,
        in.string("submittedBy", null),
        JsonFields.strings(in, "levers"),
        JsonFields.list(in, "stages", ApiStage::fromJson));
  }

  /** The answer to a request that does not ask for stages: it has no field {@code stages}. */
  public JsonObject toJson() {
    JsonObject out =
        JsonObject.create()
            .put("id", id.toString())
            .put("name", name)
            .put("data", data)
            .put("userMetadata", userMetadata)
            .put("priority", priority.name())
            .put("status", status.name())
            .put("percentage", percentage);
    times.putInto(out);
    out.putIfPresent("error", error).put("sealed", sealed);
    TraceFields.putIfPresent(out, trace);
    if (!tags.isEmpty()) {
      out.put("tags", tags);
    }
    return out.putIfPresent("parent", JsonFields.text(parent))
        .putIfPresent("retryOf", JsonFields.text(retryOf))
        .putIfPresent("ownId", ownId == null ? null : ownId.value())
        .putIfPresent("waitsForApproval", waitsForApproval)
        .putIfPresent("submittedBy", submittedBy)
        .put("levers", levers);
  }

  /** The answer to a request that asks for stages: {@code stages} is there even if empty. */
  public JsonObject toJsonWithStages() {
    return toJson().put("stages", stages.stream().map(ApiStage::toJson).toList());
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

  /**
   * The answer to a retry: a new job.
   *
   * @param job without its stages
   * @param adopted how many of its tasks it took over from the ended job
   * @param tasks how many tasks it had when it was created; stages that open later may add more
   */
  public record Retried(ApiJob job, int adopted, int tasks) {

    public static Retried fromJson(JsonObject in) {
      return new Retried(
          ApiJob.fromJson(in.object("job")),
          JsonFields.integer(in, "adopted"),
          JsonFields.integer(in, "tasks"));
    }

    public JsonObject toJson() {
      return JsonObject.create()
          .put("job", job.toJson())
          .put("adopted", adopted)
          .put("tasks", tasks);
    }
  }
}

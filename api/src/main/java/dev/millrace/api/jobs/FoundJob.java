package dev.millrace.api.jobs;

import dev.millrace.api.JsonFields;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job that a search found.
 *
 * @param ownId the id that commands print
 * @param excerpt the start of its first prompt
 * @param types of its stages
 * @param models that its stages name
 * @param submittedBy the name of the API key that submitted it
 * @param stages how many it has
 * @param waitsForApproval the stage that waits for nothing but an approval
 * @param error the start of the reason why it failed, or why it cannot be read
 * @param levers what a user can do to it in its state
 */
public record FoundJob(
    UUID id,
    JobId ownId,
    @Nullable String name,
    @Nullable String excerpt,
    JobState status,
    Priority priority,
    List<String> types,
    List<String> models,
    List<String> tags,
    @Nullable String submittedBy,
    Times times,
    int stages,
    Tasks tasks,
    @Nullable Integer waitsForApproval,
    @Nullable String error,
    List<String> levers) {

  /** When it was created, began and ended. */
  public record Times(Instant created, @Nullable Instant started, @Nullable Instant ended) {}

  /** How many tasks it has, and in which states. */
  public record Tasks(int total, int completed, int failed, int running) {}

  public static FoundJob fromJson(JsonObject in) {
    JsonObject tasks = in.object("tasks");
    return new FoundJob(
        JsonFields.uuid(in, "id"),
        new JobId(in.string("ownId")),
        in.string("name", null),
        in.string("excerpt", null),
        JsonFields.enumConstant(JobState.class, in, "status"),
        JsonFields.enumConstant(Priority.class, in, "priority"),
        JsonFields.strings(in, "types"),
        JsonFields.strings(in, "models"),
        JsonFields.strings(in, "tags"),
        in.string("submittedBy", null),
        new Times(
            JsonFields.instant(in, "creationTime"),
            JsonFields.instantOrNull(in, "startTime"),
            JsonFields.instantOrNull(in, "endTime")),
        JsonFields.integer(in, "stages"),
        new Tasks(
            JsonFields.integer(tasks, "total"),
            JsonFields.integer(tasks, "completed"),
            JsonFields.integer(tasks, "failed"),
            JsonFields.integer(tasks, "running")),
        in.has("waitsForApproval") ? JsonFields.integer(in, "waitsForApproval") : null,
        in.string("error", null),
        JsonFields.strings(in, "levers"));
  }

  public JsonObject toJson() {
    return JsonObject.create()
        .put("id", id.toString())
        .put("ownId", ownId.value())
        .putIfPresent("name", name)
        .putIfPresent("excerpt", excerpt)
        .put("status", status.name())
        .put("priority", priority.name())
        .put("types", types)
        .put("models", models)
        .put("tags", tags)
        .putIfPresent("submittedBy", submittedBy)
        .put("creationTime", times.created().toString())
        .putIfPresent("startTime", JsonFields.text(times.started()))
        .putIfPresent("endTime", JsonFields.text(times.ended()))
        .put("stages", stages)
        .put(
            "tasks",
            JsonObject.create()
                .put("total", tasks.total())
                .put("completed", tasks.completed())
                .put("failed", tasks.failed())
                .put("running", tasks.running()))
        .putIfPresent("waitsForApproval", waitsForApproval)
        .putIfPresent("error", error)
        .put("levers", levers);
  }
}

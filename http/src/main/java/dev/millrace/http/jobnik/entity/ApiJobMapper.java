package dev.millrace.http.jobnik.entity;

import dev.millrace.api.TraceFields;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.http.job.IsoTime;
import dev.millrace.http.job.JobDisplayName;
import org.jspecify.annotations.Nullable;

/** A job as Jobnik's clients read it. */
public final class ApiJobMapper {
  private ApiJobMapper() {}

  public static JsonObject of(JobView job) {
    JobHeader header = job.header();
    JsonObject out =
        JsonObject.create()
            .put("id", EntityId.of(header.id()).toString())
            .put("name", JobDisplayName.of(job))
            .put("data", header.data())
            .put("userMetadata", header.metadata())
            .put("priority", header.priority().name())
            .put("status", job.state().name())
            .put("percentage", percentage(job))
            .put("creationTime", job.createdAt().toString())
            .put("updateTime", job.updatedAt().toString())
            .putIfPresent("startTime", IsoTime.format(job.startedAt()))
            .putIfPresent("endTime", IsoTime.format(job.completedAt()))
            .putIfPresent("error", job.error())
            .put("sealed", !header.open());
    TraceFields.put(out, header.trace(), null);
    if (!header.tags().isEmpty()) {
      out.put("tags", header.tags());
    }
    return out.putIfPresent("parent", text(header.parent()))
        .putIfPresent("retryOf", text(header.retryOf()));
  }

  public static JsonObject withStages(JobView job) {
    return of(job)
        .put("stages", job.stages().stream().map(of -> ApiStageMapper.of(job, of)).toList());
  }

  private static int percentage(JobView job) {
    if (job.state() == JobState.COMPLETED) {
      return 100;
    }
    long completed =
        job.stages().stream().filter(stage -> stage.state() == StageState.COMPLETED).count();
    return JsonNumbers.percent(completed, job.stages().size());
  }

  private static @Nullable String text(@Nullable JobId id) {
    return id == null ? null : EntityId.of(id).toString();
  }
}

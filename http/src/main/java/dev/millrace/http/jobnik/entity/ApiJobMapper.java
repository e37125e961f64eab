package dev.millrace.http.jobnik.entity;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTimestamps;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.http.job.JobDisplayName;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Maps a job of the store to the record of the API. */
public final class ApiJobMapper {
  private ApiJobMapper() {}

  public static ApiJob of(JobView job) {
    return of(job, List.of());
  }

  public static ApiJob ofWithStages(JobView job) {
    return of(job, job.stages().stream().map(stage -> ApiStageMapper.of(job, stage)).toList());
  }

  private static ApiJob of(JobView job, List<ApiStage> stages) {
    JobHeader header = job.header();
    return new ApiJob(
        EntityId.of(header.id()).uuid(),
        JobDisplayName.of(job),
        header.data(),
        header.metadata(),
        header.priority(),
        job.state(),
        percentage(job),
        new ApiTimestamps(job.createdAt(), job.updatedAt(), job.startedAt(), job.completedAt()),
        job.error(),
        !header.open(),
        header.effectiveTrace(),
        header.tags(),
        uuid(header.parent()),
        uuid(header.retryOf()),
        header.id(),
        job.stageAtGate().map(StageView::number).orElse(null),
        header.submittedBy(),
        LegalLevers.ofJob(job),
        stages);
  }

  private static int percentage(JobView job) {
    if (job.state() == JobState.COMPLETED) {
      return 100;
    }
    long completed =
        job.stages().stream().filter(stage -> stage.state() == StageState.COMPLETED).count();
    return ApiStageMapper.percent(completed, job.stages().size());
  }

  private static @Nullable UUID uuid(@Nullable JobId id) {
    return id == null ? null : EntityId.of(id).uuid();
  }
}

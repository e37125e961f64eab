package dev.millrace.client;

import dev.millrace.api.ApiJob;
import dev.millrace.api.ApiStage;
import dev.millrace.api.ApiTask;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobLabels;
import dev.millrace.core.job.JobRelations;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.Timestamps;
import dev.millrace.core.task.TraceContext;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Converts records of the API to the views of core. */
final class ApiViewConverter {
  private ApiViewConverter() {}

  static JobView toJobView(JobId id, ApiJob job) {
    return new JobView(
        new JobHeader(
            id,
            new JobLabels(job.name(), job.tags(), job.userMetadata(), job.data()),
            new JobRelations(toJobId(job.parent()), toJobId(job.retryOf()), job.submittedBy()),
            job.priority(),
            !job.sealed(),
            own(job.trace(), TraceContext.derivedFrom(id.value())),
            List.of()),
        job.status(),
        new Timestamps(job.creationTime(), job.updateTime(), job.startTime(), job.endTime()),
        job.error(),
        0,
        job.stages().stream().map(stage -> stage(stage, job.trace())).toList());
  }

  private static JobView.StageView stage(ApiStage stage, @Nullable TraceContext ofJob) {
    StageSpec spec =
        StageSpec.builder(stage.type())
            .gate(stage.gate())
            .data(stage.data())
            .metadata(stage.userMetadata())
            .trace(own(stage.trace(), ofJob))
            .build();
    return new JobView.StageView(
        stage.order(),
        stage.status(),
        new JobView.TaskCounts(
            stage.summary().total(), stage.summary().byState(), stage.summary().adopted()),
        stage.startTime(),
        stage.endTime(),
        stage.error(),
        spec,
        stage.userMetadata());
  }

  static TaskView toTaskView(JobId job, ApiTask task) {
    EntityId id =
        EntityId.of(task.id(), job)
            .orElseThrow(
                () -> new JsonException("task " + task.id() + " does not belong to job " + job));
    String worker = task.worker();
    return new TaskView(
        id.stage(),
        id.task(),
        task.status(),
        new TaskView.AttemptCounts(task.attempts(), task.maxAttempts(), task.notBefore()),
        worker == null ? null : new TaskView.LastClaim(worker, null, false),
        new Timestamps(task.creationTime(), task.updateTime(), task.startTime(), task.endTime()),
        new TaskView.Content(
            task.input(),
            task.userMetadata(),
            own(task.trace(), TraceContext.derivedFrom(job.value()))),
        new TaskView.Answer(task.output(), task.error(), task.adoptedFrom()));
  }

  /** The API shows the trace that counts; one that is inherited or implied is not stored. */
  private static @Nullable TraceContext own(
      @Nullable TraceContext shown, @Nullable TraceContext inherited) {
    return shown == null || shown.equals(inherited) ? null : shown;
  }

  /** The id of the job that a UUID names; null where the UUID only has a hash of it. */
  static @Nullable JobId toJobId(@Nullable UUID uuid) {
    return uuid == null ? null : EntityId.of(uuid).map(EntityId::job).orElse(null);
  }
}

package dev.millrace.http.jobnik.entity;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.route.Problem;
import java.util.Optional;
import java.util.function.Supplier;

/** Finds the job, stage or task that a path or a parameter names; throws Jobnik's 404 if none. */
public record EntityLookup(JobStore store, IdResolver ids) {

  /** A stage with its job. */
  public record StageInJob(JobView job, StageView stage) {
    public StageContext context() {
      return StageContext.of(job, stage);
    }
  }

  public JobId jobId(String text) {
    return ids.job(text);
  }

  public JobView job(String text) {
    return job(ids.job(text));
  }

  public JobView job(JobId id) {
    return store.find(id).orElseThrow(() -> JobnikProblems.noJob(EntityId.of(id).toString()));
  }

  /** The job of a list; empty if there is none. An id that is none is refused nevertheless. */
  public Optional<JobView> findJob(String text) {
    return find(() -> job(text));
  }

  /** Like {@link #findJob} for a stage. */
  public Optional<StageInJob> findStage(String text) {
    return find(() -> stage(text));
  }

  private static <T> Optional<T> find(Supplier<T> lookup) {
    try {
      return Optional.of(lookup.get());
    } catch (Problem e) {
      if (e.kind() == Problem.Kind.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }

  public StageInJob stage(String text) {
    EntityId id = ids.stage(text);
    return store
        .find(id.job())
        .filter(job -> id.stage() <= job.stages().size())
        .map(job -> new StageInJob(job, job.stages().get(id.stage() - 1)))
        .orElseThrow(() -> JobnikProblems.noStage(text));
  }

  public EntityId taskId(String text) {
    return ids.task(text);
  }

  public TaskView task(EntityId id) {
    return store
        .task(id.job(), id.stage(), id.task())
        .orElseThrow(() -> JobnikProblems.noTask(id.toString()));
  }
}

package dev.millrace.http.jobnik.entity;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.task.TraceContext;

/**
 * What every task of a stage inherits from its stage and its job; it never changes.
 *
 * @param type the stage type; empty if the stage was deleted
 * @param trace the trace of the stage, or else of the job
 */
public record StageContext(
    JobId job, int stage, String type, JsonObject jobData, TraceContext trace) {

  static StageContext of(JobView job, StageView stage) {
    TraceContext own = stage.spec().trace();
    return new StageContext(
        job.header().id(),
        stage.number(),
        stage.type(),
        job.header().data(),
        own == null || !own.isStarted() ? job.header().effectiveTrace() : own);
  }

  public EntityId task(int number) {
    return new EntityId(job, stage, number);
  }
}

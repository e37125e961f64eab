package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.server.http.Ids;

/** Finds what a path or a parameter names, or says in Jobnik's words that there is none. */
record Lookup(JobStore store, Ids ids) {

  /** A stage with its job. */
  record InJob(JobView job, StageView stage) {
    Lineage lineage() {
      return Lineage.of(job, stage);
    }
  }

  JobId id(String text) {
    return ids.job(text);
  }

  JobView job(String text) {
    return job(ids.job(text));
  }

  JobView job(JobId id) {
    return store.find(id).orElseThrow(() -> Refusals.noJob(EntityId.of(id).toString()));
  }

  InJob stage(String text) {
    EntityId id = ids.stage(text);
    return store
        .find(id.job())
        .filter(job -> id.stage() <= job.stages().size())
        .map(job -> new InJob(job, job.stages().get(id.stage() - 1)))
        .orElseThrow(() -> Refusals.noStage(text));
  }

  EntityId taskId(String text) {
    return ids.task(text);
  }

  TaskView task(EntityId id) {
    return store
        .task(id.job(), id.stage(), id.task())
        .orElseThrow(() -> Refusals.noTask(id.toString()));
  }
}

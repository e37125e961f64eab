package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.task.Backoff;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.EntityLookup.StageInJob;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;

/**
 * Decodes requests that change a job into levers: the only place of this API that does. Ids are
 * read before bodies, so that of two errors that of the id is answered. A body that breaks its
 * schema was refused earlier, whether the id exists or not.
 *
 * @param stageBackoff of a new stage whose request names none
 */
record LeverReader(EntityLookup lookup, Backoff stageBackoff) {
  LeverRequest deletion(ApiRequest call) {
    return new LeverRequest(job(call), new Lever.Delete());
  }

  LeverRequest jobMetadata(ApiRequest call) {
    return new LeverRequest(job(call), new Lever.Describe(0, 0, call.bodyObject()));
  }

  LeverRequest priority(ApiRequest call) {
    Lever lever = new Lever.Prioritize(JobDocument.priority(call.bodyObject()));
    return new LeverRequest(job(call), lever).commented(call);
  }

  LeverRequest jobStatus(ApiRequest call) {
    JobId id = job(call);
    Lever lever =
        switch (status(call)) {
          case PENDING -> new Lever.Resume();
          case PAUSED -> new Lever.Pause();
          case ABORTED -> new Lever.Abort();
          default -> throw JobnikProblems.invalid("only the system moves a job there");
        };
    return new LeverRequest(id, lever).commented(call);
  }

  /** The state that the body asks for; its schema has only those that a user can ask for. */
  static JobState status(ApiRequest call) {
    return JobState.valueOf(call.bodyObject().string("status"));
  }

  LeverRequest newStage(ApiRequest call) {
    JobView job = lookup.job(LeverTarget.JOB.id(call));
    StageSpec spec = SpecReader.readStage(call, job.stages().size() + 1, stageBackoff);
    return new LeverRequest(job.header().id(), new Lever.AddStage(spec));
  }

  LeverRequest stageMetadata(ApiRequest call) {
    StageInJob of = stage(call);
    return LeverRequest.of(of, new Lever.Describe(of.stage().number(), 0, call.bodyObject()));
  }

  /** The schema allows PENDING only: users approve a stage, the system does the rest. */
  LeverRequest approval(ApiRequest call) {
    StageInJob of = stage(call);
    return LeverRequest.of(of, new Lever.Approve(of.stage().number())).commented(call);
  }

  LeverRequest newTasks(ApiRequest call) {
    StageInJob of = stage(call);
    return LeverRequest.of(of, new Lever.AddTasks(of.stage().number(), SpecReader.readTasks(call)));
  }

  LeverRequest taskMetadata(ApiRequest call) {
    EntityId task = lookup.taskId(LeverTarget.TASK.id(call));
    return new LeverRequest(
        task.job(), new Lever.Describe(task.stage(), task.task(), call.bodyObject()));
  }

  /** The job need not exist. */
  private JobId job(ApiRequest call) {
    return lookup.jobId(LeverTarget.JOB.id(call));
  }

  private StageInJob stage(ApiRequest call) {
    return lookup.stage(LeverTarget.STAGE.id(call));
  }
}

package dev.millrace.http.jobnik;

import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.jobnik.entity.ApiStageMapper;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.StageContext;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Answers requests that change a job, where the answer is more than a code or a refusal means
 * something else than in other requests. As in Jobnik, a job's status cannot be set to what it is.
 */
record LeverAnswers(EntityLookup lookup) {

  /** Answers with {@code code} what is done, and with an error what is not. */
  static ApiResponse reply(LeverTarget target, ApiRequest call, Outcome outcome, SuccessCode code) {
    requireDone(target, call, outcome);
    return code.reply();
  }

  private static void requireDone(LeverTarget target, ApiRequest call, Outcome outcome) {
    if (!outcome.isDone()) {
      throw JobnikProblems.of(outcome, target.missing(call));
    }
  }

  ApiResponse deletion(ApiRequest call, LeverRequest request, Outcome outcome) {
    return reply(LeverTarget.JOB, call, outcome, SuccessCode.JOB_DELETED_SUCCESSFULLY);
  }

  ApiResponse priority(ApiRequest call, LeverRequest request, Outcome outcome) {
    if (outcome instanceof Outcome.Refused refused && refused.reason() == Reason.SAME) {
      return new ApiResponse.Json(
          204, Map.of("Reason", "PRIORITY_CANNOT_BE_UPDATED_TO_SAME_VALUE"), null);
    }
    return reply(LeverTarget.JOB, call, outcome, SuccessCode.JOB_MODIFIED_SUCCESSFULLY);
  }

  ApiResponse jobStatus(ApiRequest call, LeverRequest request, Outcome outcome) {
    if (outcome instanceof Outcome.Refused) {
      JobState now = lookup.job(request.job()).state();
      throw JobnikProblems.illegalTransition("JOB", now, LeverReader.status(call));
    }
    return reply(LeverTarget.JOB, call, outcome, SuccessCode.JOB_MODIFIED_SUCCESSFULLY);
  }

  ApiResponse approval(ApiRequest call, LeverRequest request, Outcome outcome) {
    if (outcome instanceof Outcome.Refused refused) {
      StageState now = lookup.stage(LeverTarget.STAGE.id(call)).stage().state();
      if (now == StageState.PENDING) {
        return SuccessCode.STAGE_MODIFIED_SUCCESSFULLY.reply(); // the same state, as in Jobnik
      }
      throw refused.reason() != Reason.TRANSITION || now == StageState.CREATED
          ? JobnikProblems.previousStageNotCompleted()
          : JobnikProblems.illegalTransition("STAGE", now, StageState.PENDING);
    }
    return reply(LeverTarget.STAGE, call, outcome, SuccessCode.STAGE_MODIFIED_SUCCESSFULLY);
  }

  ApiResponse newStage(ApiRequest call, LeverRequest request, Outcome outcome) {
    requireDone(LeverTarget.JOB, call, outcome);
    JobView now = lookup.job(request.job());
    return ApiResponse.json(
        201, ApiStageMapper.of(now, now.stages().get(first(outcome) - 1)).toJson());
  }

  ApiResponse newTasks(ApiRequest call, LeverRequest request, Outcome outcome) {
    requireDone(LeverTarget.STAGE, call, outcome);
    StageContext context = Objects.requireNonNull(request.before()).context();
    int count = ((Lever.AddTasks) request.lever()).tasks().size();
    List<TaskView> created =
        count == 0
            ? List.of()
            : lookup.store().tasks(request.job(), context.stage(), first(outcome), count);
    return ApiResponse.json(
        201, created.stream().map(task -> ApiTaskMapper.of(context, task).toJson()).toList());
  }

  private static int first(Outcome outcome) {
    return ((Outcome.Done) outcome).first();
  }
}

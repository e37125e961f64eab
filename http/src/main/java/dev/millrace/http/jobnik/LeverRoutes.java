package dev.millrace.http.jobnik;

import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.Backoff;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.List;
import java.util.function.Function;

/**
 * The routes that change a job, a row each: {@link LeverReader} decodes the request into a lever,
 * the store carries it out, and {@link LeverAnswers} answers the outcome.
 */
final class LeverRoutes {
  private final EntityLookup lookup;
  private final LeverReader reader;
  private final LeverAnswers answers;

  LeverRoutes(EntityLookup lookup, Backoff stageBackoff) {
    this.lookup = lookup;
    this.reader = new LeverReader(lookup, stageBackoff);
    this.answers = new LeverAnswers(lookup);
  }

  /** Answers a request whose lever had this outcome. */
  @FunctionalInterface
  private interface Answer {
    ApiResponse of(ApiRequest call, LeverRequest request, Outcome outcome);
  }

  List<Route> routes() {
    LeverTarget job = LeverTarget.JOB;
    LeverTarget stage = LeverTarget.STAGE;
    LeverTarget task = LeverTarget.TASK;
    String metadata = "/user-metadata";
    return List.of(
        row(job, "DELETE", "", "deleteJob", reader::deletion, answers::deletion),
        row(job, "PATCH", metadata, "updateJobUserMetadata", reader::jobMetadata),
        row(job, "PATCH", "/priority", "updateJobPriority", reader::priority, answers::priority),
        row(job, "PUT", "/status", "updateJobStatus", reader::jobStatus, answers::jobStatus),
        row(job, "POST", "/stage", "addStage", reader::newStage, answers::newStage),
        row(stage, "PATCH", metadata, "updateStageUserMetadata", reader::stageMetadata),
        row(stage, "PUT", "/status", "updateStageStatus", reader::approval, answers::approval),
        row(stage, "POST", "/tasks", "addTasks", reader::newTasks, answers::newTasks),
        row(task, "PATCH", metadata, "updateTaskUserMetadata", reader::taskMetadata));
  }

  /** A row whose answer is a code only. */
  private Route row(
      LeverTarget target,
      String method,
      String path,
      String operationId,
      Function<ApiRequest, LeverRequest> decoder) {
    Answer modified =
        (call, _, outcome) -> LeverAnswers.reply(target, call, outcome, target.modified());
    return row(target, method, path, operationId, decoder, modified);
  }

  private Route row(
      LeverTarget target,
      String method,
      String path,
      String operationId,
      Function<ApiRequest, LeverRequest> decoder,
      Answer answer) {
    return new Route(
        method,
        target.path() + path,
        operationId,
        KeyScope.SUBMIT,
        call -> {
          LeverRequest request = decoder.apply(call);
          Outcome outcome =
              lookup.store().apply(request.job(), request.lever(), request.cause(call));
          return answer.of(call, request, outcome);
        });
  }
}

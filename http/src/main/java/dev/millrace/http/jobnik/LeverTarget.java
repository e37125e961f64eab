package dev.millrace.http.jobnik;

import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.Problem;
import java.util.function.Function;

/** What a path that changes something names: a job, a stage or a task. */
enum LeverTarget {
  JOB("/v1/jobs/{jobId}", "jobId", SuccessCode.JOB_MODIFIED_SUCCESSFULLY, JobnikProblems::noJob),
  STAGE(
      "/v1/stages/{stageId}",
      "stageId",
      SuccessCode.STAGE_MODIFIED_SUCCESSFULLY,
      JobnikProblems::noStage),
  TASK(
      "/v1/tasks/{taskId}",
      "taskId",
      SuccessCode.TASK_MODIFIED_SUCCESSFULLY,
      JobnikProblems::noTask);

  private final String path;
  private final String parameter;
  private final SuccessCode modified;
  private final Function<String, Problem> missing;

  LeverTarget(
      String path, String parameter, SuccessCode modified, Function<String, Problem> missing) {
    this.path = path;
    this.parameter = parameter;
    this.modified = modified;
    this.missing = missing;
  }

  /** The path of one, as the OpenAPI document writes it. */
  String path() {
    return path;
  }

  /** The id in the request's path. */
  String id(ApiRequest call) {
    return call.pathParameter(parameter);
  }

  SuccessCode modified() {
    return modified;
  }

  /** The error if there is none with the id in the request's path. */
  Problem missing(ApiRequest call) {
    return missing.apply(id(call));
  }
}

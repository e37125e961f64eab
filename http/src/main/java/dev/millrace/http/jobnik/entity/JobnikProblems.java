package dev.millrace.http.jobnik.entity;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Outcome;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Problem.Kind;

/** The errors of the Jobnik API, with its codes. */
public final class JobnikProblems {
  private JobnikProblems() {}

  public static Problem noJob(String id) {
    return missing("JOB_NOT_FOUND", "job", id);
  }

  public static Problem noStage(String id) {
    return missing("STAGE_NOT_FOUND", "stage", id);
  }

  public static Problem noTask(String id) {
    return missing("TASK_NOT_FOUND", "task", id);
  }

  private static Problem missing(String code, String what, String id) {
    return new Problem(Kind.NOT_FOUND, code, "there is no " + what + " " + id);
  }

  /**
   * @param what JOB, STAGE or TASK
   */
  public static Problem illegalTransition(String what, Enum<?> from, Enum<?> to) {
    return new Problem(
        Kind.INVALID,
        "ILLEGAL_" + what + "_STATUS_TRANSITION",
        "Illegal status transition from " + from + " to " + to);
  }

  public static Problem previousStageNotCompleted() {
    return new Problem(
        Kind.INVALID, "ILLEGAL_STAGE_STATUS_TRANSITION", "Previous stage is not COMPLETED");
  }

  /** The report of a worker that does not hold the claim, or no longer. */
  public static Problem claimLost(String message) {
    return new Problem(Kind.CONFLICT, "TASK_STATUS_UPDATE_FAILED", message);
  }

  /** A report without a token for a claim that has one. */
  public static Problem tokenMissing(EntityId task) {
    return claimLost(
        "task " + task + " was claimed under a token; who answers for it says it in \"token\"");
  }

  public static Problem invalid(String message) {
    return new Problem(Kind.INVALID, message);
  }

  /**
   * The error for an operation that the store has not done.
   *
   * @param missing the error if the job, stage or task does not exist
   */
  public static Problem of(Outcome outcome, Problem missing) {
    return switch (outcome) {
      case Outcome.Refused refused -> new Problem(Kind.INVALID, code(refused), refused.message());
      case Outcome.Missing _ -> missing;
      case Outcome.Fenced fenced -> claimLost(fenced.message());
      case Outcome.Cancelled cancelled -> claimLost(cancelled.message());
      case Outcome.Done _ -> throw new IllegalStateException("the operation was done");
    };
  }

  /**
   * What the message of an error with this code begins with, as Jobnik's does: clients compare it.
   * Empty where Jobnik has no constant; an illegal transition has a sentence instead.
   */
  public static String messagePrefix(String code) {
    return switch (code) {
      case "JOB_NOT_FOUND",
          "STAGE_NOT_FOUND",
          "TASK_NOT_FOUND",
          "JOB_NOT_IN_FINITE_STATE",
          "TASK_STATUS_UPDATE_FAILED" ->
          code + ": ";
      case "JOB_IN_FINITE_STATE" -> "JOB_ALREADY_FINISHED_STAGES_ERROR: ";
      case "STAGE_IN_FINITE_STATE" -> "STAGE_ALREADY_FINISHED_TASKS_ERROR: ";
      case "NOT_ALLOWED_TO_ADD_TASKS_TO_IN_PROGRESS_STAGE" -> "ADD_TASK_NOT_ALLOWED: ";
      case "JOB_SEALED" -> "PREDEFINED_JOB_STAGE_MODIFICATION_ERROR: ";
      default -> "";
    };
  }

  /** The body of an error response. */
  public static JsonObject body(Problem problem) {
    String code = problem.code() == null ? code(problem.kind()) : problem.code();
    return JsonObject.create()
        .put("message", messagePrefix(code) + problem.text())
        .put("code", code);
  }

  private static String code(Kind kind) {
    return switch (kind) {
      case MALFORMED, INVALID -> "VALIDATION_ERROR";
      case TOO_LARGE -> "PAYLOAD_TOO_LARGE";
      case INTERNAL -> "UNKNOWN_ERROR";
      case UNAVAILABLE, INSUFFICIENT_STORAGE -> "SERVICE_UNAVAILABLE";
      case UNAUTHORIZED,
          FORBIDDEN,
          NOT_FOUND,
          METHOD_NOT_ALLOWED,
          REQUEST_TIMEOUT,
          CONFLICT,
          UNSUPPORTED_MEDIA_TYPE,
          TOO_MANY_REQUESTS,
          HEADERS_TOO_LARGE ->
          kind.name();
    };
  }

  private static String code(Outcome.Refused refused) {
    return switch (refused.reason()) {
      case TRANSITION -> "ILLEGAL_JOB_STATUS_TRANSITION";
      case PREVIOUS_STAGE -> "ILLEGAL_STAGE_STATUS_TRANSITION";
      case JOB_ENDED -> "JOB_IN_FINITE_STATE";
      case JOB_NOT_ENDED -> "JOB_NOT_IN_FINITE_STATE";
      case STAGE_ENDED -> "STAGE_IN_FINITE_STATE";
      case STAGE_RUNNING -> "NOT_ALLOWED_TO_ADD_TASKS_TO_IN_PROGRESS_STAGE";
      case SEALED -> "JOB_SEALED";
      case TOO_LARGE, SAME -> "VALIDATION_ERROR";
    };
  }
}

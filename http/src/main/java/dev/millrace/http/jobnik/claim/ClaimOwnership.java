package dev.millrace.http.jobnik.claim;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.route.Problem;
import org.jspecify.annotations.Nullable;

/**
 * Whether a worker that sends a request has the claim on a task.
 *
 * @param type the stage type
 * @param claim the claim of the worker; null if it has none or no longer
 * @param task the current state of the task
 * @param token the token in the request; null if it has none
 */
record ClaimOwnership(
    EntityId id, String type, @Nullable Claim claim, TaskView task, @Nullable String token) {

  /** Whether the worker had the last claim; without a token, only a claim without one counts. */
  boolean isOwn() {
    return task.token() != null
        && (token == null ? task.tokenless() : token.equals(task.token().toString()));
  }

  /** The claim of the worker on a task that was aborted with its job; null if it had none. */
  @Nullable Claim formerClaim() {
    FencingToken last = task.token();
    return last != null && isOwn() && aborted() ? formerClaim(last) : null;
  }

  /** Has just what the store needs to recognize the claim. */
  private Claim formerClaim(FencingToken last) {
    return new Claim(
        id.job(),
        new ClaimKey(id.stage(), id.task(), last),
        type,
        JsonObject.create(),
        task.createdAt(),
        Claim.Limits.NONE,
        null,
        task);
  }

  /** Why the worker cannot move the task; Jobnik's error if it may be a worker of Jobnik. */
  Problem problem(TaskState to) {
    boolean ended = task.state().isFinal() && !aborted();
    return task.token() == null || token == null && ended
        ? JobnikProblems.illegalTransition("TASK", task.state(), to)
        : claimLost();
  }

  /** The error that the worker does not have the claim. */
  Problem claimLost() {
    String name = "task " + id;
    if (task.token() == null) {
      return JobnikProblems.claimLost(name + ": nobody holds it, it is " + task.state());
    }
    if (token == null && !task.tokenless()) {
      return JobnikProblems.tokenMissing(id);
    }
    if (!isOwn()) {
      return JobnikProblems.claimLost(name + ": the token is not that of its present claim");
    }
    return JobnikProblems.claimLost(
        aborted()
            ? name + ": its job was aborted or has failed meanwhile; output is kept as partial"
            : name + ": the claim has ended, the task is " + task.state());
  }

  private boolean aborted() {
    return task.state() == TaskState.ABORTED;
  }
}

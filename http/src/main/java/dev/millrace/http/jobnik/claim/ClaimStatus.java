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
 * How a worker stands to a task.
 *
 * @param type of the task's stage
 * @param claim its claim; null if it has none, or none any more
 * @param task as it is now
 * @param token what it said; null if it said none
 */
record ClaimStatus(
    EntityId id, String type, @Nullable Claim claim, TaskView task, @Nullable String token) {

  /** Whether the last claim was its own: who cannot say a token can only have had a bare one. */
  boolean isOwn() {
    return task.token() != null
        && (token == null ? task.tokenless() : token.equals(task.token().toString()));
  }

  /** Its claim on a task that has ended with its job; null if it had none. */
  @Nullable Claim formerClaim() {
    FencingToken last = task.token();
    return last != null && isOwn() && aborted() ? formerClaim(last) : null;
  }

  /** Just enough for the store to know which one it was. */
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

  /** Why it cannot move the task: Jobnik's words where the worker could be one of Jobnik's. */
  Problem problem(TaskState to) {
    boolean settled = task.state().isFinal() && !aborted();
    return task.token() == null || token == null && settled
        ? JobnikProblems.illegalTransition("TASK", task.state(), to)
        : claimLost();
  }

  /** That it does not hold the task. */
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
            ? name + ": its job was aborted meanwhile; the output is kept as partial"
            : name + ": the claim has ended, the task is " + task.state());
  }

  private boolean aborted() {
    return task.state() == TaskState.ABORTED;
  }
}

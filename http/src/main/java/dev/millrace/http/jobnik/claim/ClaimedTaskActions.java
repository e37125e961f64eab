package dev.millrace.http.jobnik.claim;

import dev.millrace.api.HeartbeatResponse;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Handles the requests of workers about their claimed tasks. A request counts only with a valid
 * claim. A repeated report is accepted again, because the worker may have missed the first answer.
 */
public final class ClaimedTaskActions {
  private final JobStore store;
  private final ClaimVerifier verifier;

  public ClaimedTaskActions(JobStore store, ClaimVerifier verifier) {
    this.store = store;
    this.verifier = verifier;
  }

  /** Ends a task as COMPLETED or FAILED. */
  public void finish(EntityId id, JsonObject body) {
    ReportedResult result = ReportedResult.fromJson(body);
    ClaimOwnership ownership = verifier.verify(id, token(body));
    if (ownership.claim() != null) {
      if (result.applyTo(store, ownership.claim()).isDone()) {
        return;
      }
      ownership = verifier.endedClaim(id, ownership.token()); // it ended after the check
    }
    if (ownership.isOwn() && result.matches(ownership.task())) {
      return;
    }
    Claim former = ownership.formerClaim();
    if (former != null) {
      result.applyTo(store, former); // the store keeps it as partial output
    }
    throw ownership.problem(result.targetState());
  }

  /** Returns a task to the queue; costs no attempt. */
  public void release(EntityId id, JsonObject body) {
    ClaimOwnership ownership = verifier.verify(id, token(body));
    if (ownership.claim() != null) {
      if (store
          .release(ownership.claim(), body.string("reason", "released by its worker"))
          .isDone()) {
        return;
      }
      ownership = verifier.endedClaim(id, ownership.token());
    }
    boolean released =
        ownership.task().state() == TaskState.RETRIED && ownership.task().notBefore() == null;
    if (!released || !ownership.isOwn()) {
      throw ownership.problem(TaskState.RETRIED);
    }
  }

  /** Renews the lease, and tells the worker whether to stop. */
  public HeartbeatResponse heartbeat(EntityId id, JsonObject body) {
    ClaimOwnership ownership = verifier.verify(id, token(body));
    Claim claim = ownership.claim() == null ? ownership.formerClaim() : ownership.claim();
    ClaimSignal signal =
        claim == null ? ClaimSignal.LOST : store.heartbeat(claim, body.flag("progress", false));
    if (claim == null || signal == ClaimSignal.LOST) {
      throw ownership.claimLost();
    }
    return new HeartbeatResponse(
        signal == ClaimSignal.CANCEL, signal == ClaimSignal.PAUSE, lease(claim), reason(signal));
  }

  /** In whole seconds. A claim without a lease, or one that has ended, gets the shortest lease. */
  private static Duration lease(Claim claim) {
    return Duration.ofSeconds(claim.lease() == null ? 1 : Math.max(1, claim.lease().toSeconds()));
  }

  private static @Nullable String reason(ClaimSignal signal) {
    return switch (signal) {
      case CANCEL -> "the task's job has ended; what is said of the task is kept as partial output";
      case PAUSE -> "the task's job or stage is on hold; release the task, or go on with it";
      case CONTINUE, LOST -> null;
    };
  }

  public void log(EntityId id, JsonObject body) {
    ClaimOwnership ownership = verifier.verify(id, token(body));
    Claim claim = ownership.claim();
    if (claim == null) {
      throw ownership.claimLost();
    }
    for (Object one : body.list("lines")) {
      JsonObject line = JsonObject.of(one, "line");
      store.log(claim, line.string("level", "info"), line.string("line"));
    }
  }

  private static @Nullable String token(JsonObject body) {
    return body.string("token", null);
  }
}

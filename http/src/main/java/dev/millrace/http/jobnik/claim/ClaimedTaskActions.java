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
 * What a worker says of a task it holds. It counts if its claim does; what repeats an answer that
 * was accepted is accepted again, for its worker may not have heard so.
 */
public final class ClaimedTaskActions {
  private final JobStore store;
  private final ClaimVerifier verifier;

  public ClaimedTaskActions(JobStore store, ClaimVerifier holds) {
    this.store = store;
    this.verifier = holds;
  }

  /** COMPLETED or FAILED. */
  public void finish(EntityId id, JsonObject said) {
    ReportedResult outcome = ReportedResult.fromJson(said);
    ClaimStatus hold = verifier.verify(id, token(said));
    if (hold.claim() != null) {
      if (outcome.applyTo(store, hold.claim()).isDone()) {
        return;
      }
      hold = verifier.endedClaim(id, hold.token()); // between the look and the answer
    }
    if (hold.isOwn() && outcome.matches(hold.task())) {
      return;
    }
    Claim former = hold.formerClaim();
    if (former != null) {
      outcome.applyTo(store, former); // who keeps it as partial output
    }
    throw hold.problem(outcome.targetState());
  }

  /** Back to the queue; costs no attempt. */
  public void release(EntityId id, JsonObject said) {
    ClaimStatus hold = verifier.verify(id, token(said));
    if (hold.claim() != null) {
      if (store.release(hold.claim(), said.string("reason", "its worker gave it back")).isDone()) {
        return;
      }
      hold = verifier.endedClaim(id, hold.token());
    }
    boolean released = hold.task().state() == TaskState.RETRIED && hold.task().notBefore() == null;
    if (!released || !hold.isOwn()) {
      throw hold.problem(TaskState.RETRIED);
    }
  }

  /** Renews the lease, and says what the worker is to do. */
  public HeartbeatResponse heartbeat(EntityId id, JsonObject said) {
    ClaimStatus hold = verifier.verify(id, token(said));
    Claim claim = hold.claim() == null ? hold.formerClaim() : hold.claim();
    ClaimSignal pulse =
        claim == null ? ClaimSignal.LOST : store.heartbeat(claim, said.flag("progress", false));
    if (claim == null || pulse == ClaimSignal.LOST) {
      throw hold.claimLost();
    }
    return new HeartbeatResponse(
        pulse == ClaimSignal.CANCEL, pulse == ClaimSignal.PAUSE, lease(claim), reason(pulse));
  }

  /** In whole seconds. A claim without a lease, or one that has ended, gets the shortest lease. */
  private static Duration lease(Claim claim) {
    return Duration.ofSeconds(
        claim.lease() == null ? 1 : Math.max(1, claim.lease().toSeconds()));
  }

  private static @Nullable String reason(ClaimSignal pulse) {
    return switch (pulse) {
      case CANCEL -> "the task's job has ended; what is said of the task is kept as partial output";
      case PAUSE -> "the task's job or stage is on hold; release the task, or go on with it";
      case CONTINUE, LOST -> null;
    };
  }

  public void log(EntityId id, JsonObject said) {
    ClaimStatus hold = verifier.verify(id, token(said));
    Claim claim = hold.claim();
    if (claim == null) {
      throw hold.claimLost();
    }
    for (Object one : said.list("lines")) {
      JsonObject line = JsonObject.of(one, "line");
      store.log(claim, line.string("level", "info"), line.string("line"));
    }
  }

  private static @Nullable String token(JsonObject said) {
    return said.string("token", null);
  }
}

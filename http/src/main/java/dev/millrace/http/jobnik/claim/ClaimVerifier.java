package dev.millrace.http.jobnik.claim;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.route.Problem;
import org.jspecify.annotations.Nullable;

/** Checks that a request about a task comes from the worker that has claimed it. */
public final class ClaimVerifier {
  private final JobStore store;
  private final EntityLookup lookup;
  private final StageContextCache contexts;

  public ClaimVerifier(EntityLookup lookup, StageContextCache contexts) {
    this.store = lookup.store();
    this.lookup = lookup;
    this.contexts = contexts;
  }

  /**
   * @param token the token in the request; null for workers that do not know tokens
   * @throws Problem if another worker has the claim, or the task does not exist
   */
  ClaimOwnership verify(EntityId id, @Nullable String token) {
    Claim claim = store.findClaim(id.job(), id.stage(), id.task()).orElse(null);
    if (claim == null) {
      return endedClaim(id, token);
    }
    if (token == null && !claim.tokenless()) {
      throw JobnikProblems.tokenMissing(id);
    }
    if (token != null && !token.equals(claim.key().token().toString())) {
      throw JobnikProblems.claimLost("task " + id + ": the token is not that of its present claim");
    }
    return new ClaimOwnership(id, claim.type(), claim, claim.view(), token);
  }

  /** The status of a worker that no longer has the claim. */
  ClaimOwnership endedClaim(EntityId id, @Nullable String token) {
    TaskView task = lookup.task(id);
    return new ClaimOwnership(id, contexts.of(id.job(), id.stage()).type(), null, task, token);
  }
}

package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.server.http.Problem;
import org.jspecify.annotations.Nullable;

/** Finds out whether who speaks for a task holds it. */
final class Holds {
  private final JobStore store;
  private final Lookup lookup;
  private final Lineages lineages;

  Holds(Lookup lookup, Lineages lineages) {
    this.store = lookup.store();
    this.lookup = lookup;
    this.lineages = lineages;
  }

  /**
   * @param token what the worker says; null if it says none, as those do that know of none
   * @throws Problem if another worker holds the task, or there is none
   */
  Hold find(EntityId id, @Nullable String token) {
    Claim claim = store.held(id.job(), id.stage(), id.task()).orElse(null);
    if (claim == null) {
      return ended(id, token);
    }
    if (token == null && !claim.bare()) {
      throw Refusals.unnamed(id);
    }
    if (token != null && !token.equals(claim.hold().token().toString())) {
      throw Refusals.lost("task " + id + ": the token is not that of its present claim");
    }
    return new Hold(id, claim.type(), claim, claim.view(), token);
  }

  /** Of a worker that holds the task no more. */
  Hold ended(EntityId id, @Nullable String token) {
    TaskView task = lookup.task(id);
    return new Hold(id, lineages.of(id.job(), id.stage()).type(), null, task, token);
  }
}

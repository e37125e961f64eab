package dev.millrace.http.jobnik.claim;

import dev.millrace.core.store.ClaimRequest;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A request of a worker for tasks.
 *
 * @param worker the name of the worker, for logs
 * @param tokenless whether the reports will come without a token
 * @param maxWait how long to wait for the first task
 * @param clientGone whether the client has disconnected, or its key no longer allows this
 * @param beforeWait throws a Problem if too many requests wait
 */
public record DequeueRequest(
    String type,
    int limit,
    String worker,
    Duration lease,
    boolean tokenless,
    Duration maxWait,
    BooleanSupplier clientGone,
    Runnable beforeWait) {

  /** The same request for another number of tasks. */
  DequeueRequest withLimit(int tasks) {
    return new DequeueRequest(
        type, tasks, worker, lease, tokenless, maxWait, clientGone, beforeWait);
  }

  ClaimRequest toClaimRequest() {
    return new ClaimRequest(Set.of(type), limit, worker, lease, tokenless);
  }
}

package dev.millrace.http.jobnik.claim;

import dev.millrace.core.store.ClaimRequest;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * What one request for tasks asks for.
 *
 * @param worker who asks, for the log
 * @param bare whether its answers will come without a token
 * @param patience how long it waits for a first task
 * @param gone says whether nobody waits for the answer any more
 */
public record DequeueRequest(
    String type,
    int limit,
    String worker,
    Duration lease,
    boolean bare,
    Duration maxWait,
    BooleanSupplier gone) {

  /** The same for another number of tasks. */
  DequeueRequest withLimit(int tasks) {
    return new DequeueRequest(type, tasks, worker, lease, bare, maxWait, gone);
  }

  ClaimRequest demand() {
    return new ClaimRequest(Set.of(type), limit, worker, lease, bare);
  }
}

package dev.millrace.server.http.jobnik;

import dev.millrace.core.store.Demand;
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
record Order(
    String type,
    int limit,
    String worker,
    Duration lease,
    boolean bare,
    Duration patience,
    BooleanSupplier gone) {

  /** The same for another number of tasks. */
  Order of(int tasks) {
    return new Order(type, tasks, worker, lease, bare, patience, gone);
  }

  Demand demand() {
    return new Demand(Set.of(type), limit, worker, lease, bare);
  }
}

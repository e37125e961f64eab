package dev.millrace.server;

import dev.millrace.core.store.Claim;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A server at one moment.
 *
 * @param slots how many tasks may run at once, of all groups of workers together, besides those
 *     that wait for something that is not here
 * @param running what runs, longest first
 * @param done tasks completed since the start
 * @param failed attempts that failed since the start
 * @param released tasks handed back since the start
 * @param dropped outcomes that came too late to count: the job had ended, or the claim was lost
 * @param problem why it had to stop; null if it did not
 */
public record ServerStatus(
    ServerState state,
    int slots,
    List<Running> running,
    long done,
    long failed,
    long released,
    long dropped,
    @Nullable String problem) {

  /** A task in a worker's hands since then. */
  public record Running(Claim claim, Instant since) {}
}

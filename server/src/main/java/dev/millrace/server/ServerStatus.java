package dev.millrace.server;

import dev.millrace.core.store.Claim;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of a server at one moment.
 *
 * @param slots how many tasks may run at once, over all groups of workers; tasks that wait for
 *     something outside of this server are not counted
 * @param running the running tasks, longest first
 * @param done tasks completed since the start
 * @param failed attempts that failed since the start
 * @param released tasks released since the start
 * @param dropped outcomes that came too late to count: the job had ended, or the claim was lost
 * @param unstored outcomes that could not be stored before the server stopped
 * @param problem why the server had to stop; null if it did not
 */
public record ServerStatus(
    ServerState state,
    int slots,
    List<Running> running,
    long done,
    long failed,
    long released,
    long dropped,
    long unstored,
    @Nullable String problem) {

  /** A task that a worker runs, and since when. */
  public record Running(Claim claim, Instant since) {}
}

package dev.millrace.store.postgres;

import dev.millrace.core.job.JobId;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * What is worth knowing of a database before a server uses it.
 *
 * @param release of PostgreSQL
 * @param number the same as a number: 140022 is 14.22
 * @param schemaVersion of the tables; 0 if there are none
 * @param minimumVersion what a program must know of the tables to use them; 0 if there are none
 * @param latestVersion of the tables that this program knows
 * @param syncs whether commits and the disk are as they should: {@code fsync} and {@code
 *     full_page_writes} are on
 * @param freeConnections how many more clients it accepts
 * @param encrypted whether what passes between it and this machine, or the pooler, is encrypted
 * @param clockAhead how far its clock is ahead of this machine's
 * @param unreadable jobs that servers could not read, and why; at most 1,000
 * @param onTheWay how many jobs an interrupted move has left on their way, by where they go
 */
public record DatabaseStatus(
    String release,
    int number,
    int schemaVersion,
    int minimumVersion,
    int latestVersion,
    boolean syncs,
    int freeConnections,
    boolean encrypted,
    Duration clockAhead,
    List<RunningServer> servers,
    Map<JobId, String> unreadable,
    Map<String, Long> onTheWay) {

  /** Whether this program knows the tables well enough; then there are servers and jobs here. */
  public boolean isUsable() {
    return minimumVersion <= latestVersion;
  }
}

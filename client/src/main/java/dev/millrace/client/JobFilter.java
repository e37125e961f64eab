package dev.millrace.client;

import dev.millrace.core.job.Priority;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which jobs to list.
 *
 * @param from created at this time or later
 * @param until created at this time or earlier
 * @param idPart a part of the job's id in its workspace, at least 4 characters
 * @param atGate whether to list only jobs that wait for an approval
 * @param stages whether to include the stages
 * @param limit the most entries in a page; 0 for the default of the server
 */
public record JobFilter(
    @Nullable String name,
    @Nullable Priority priority,
    @Nullable Instant from,
    @Nullable Instant until,
    @Nullable String idPart,
    boolean atGate,
    boolean stages,
    int limit) {

  public static JobFilter all() {
    return new JobFilter(null, null, null, null, null, false, false, 0);
  }

  public JobFilter named(String value) {
    return new JobFilter(value, priority, from, until, idPart, atGate, stages, limit);
  }

  public JobFilter priority(Priority value) {
    return new JobFilter(name, value, from, until, idPart, atGate, stages, limit);
  }

  public JobFilter between(@Nullable Instant first, @Nullable Instant last) {
    return new JobFilter(name, priority, first, last, idPart, atGate, stages, limit);
  }

  public JobFilter idContaining(@Nullable String part) {
    return new JobFilter(name, priority, from, until, part, atGate, stages, limit);
  }

  public JobFilter waitingForApproval(boolean only) {
    return new JobFilter(name, priority, from, until, idPart, only, stages, limit);
  }

  public JobFilter withStages() {
    return new JobFilter(name, priority, from, until, idPart, atGate, true, limit);
  }

  public JobFilter limit(int most) {
    return new JobFilter(name, priority, from, until, idPart, atGate, stages, most);
  }
}

package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.store.postgres.internal.jobs.PostgresJob.At;
import java.time.Instant;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a job that follow from its log, so that queries need not read it.
 *
 * @param claimType of the tasks that wait; null: none can be claimed
 * @param claimAt the end of a backoff; null: now
 * @param finalCounts what an ended job adds to the counts, to be subtracted when it is deleted
 */
record ChangedColumns(
    String state,
    String priority,
    boolean atGate,
    Instant updatedAt,
    @Nullable Instant endedAt,
    long rank,
    @Nullable String claimType,
    @Nullable Instant claimAt,
    @Nullable Instant dueAt,
    String @Nullable [] runningTypes,
    Long @Nullable [] runningEpochs,
    @Nullable String finalCounts) {

  static final String NAMES =
      "state, priority, at_gate, updated_at, ended_at, rank, claim_type, claim_at, due_at,"
          + " running_types, running_epochs, final_counts";

  /** For the values, in the same order. */
  static final String VALUES =
      "?, ?, ?, ?, ?::timestamptz, ?, ?, CASE WHEN ?::text IS NULL THEN NULL"
          + " ELSE coalesce(?::timestamptz, '-infinity') END, ?::timestamptz, ?::text[],"
          + " ?::bigint[], ?::json";

  static ChangedColumns of(PostgresJob job, Instant now) {
    StageFold open = job.openStage();
    boolean waits = open != null && job.nextWaiting(open.number(), 0) >= 0;
    SortedSet<String> types = new TreeSet<>();
    SortedSet<Long> epochs = new TreeSet<>();
    for (At at : job.running()) {
      StageFold stage = job.fold().stage(at.stage());
      TaskFold.LoggedClaim claim = Objects.requireNonNull(stage.task(at.task()).lastClaim());
      types.add(stage.plan().type());
      if (claim.lease() == null) { // else it lives without its server
        epochs.add(claim.token().epoch());
      }
    }
    return new ChangedColumns(
        job.fold().state().name(),
        job.priority().name(),
        isAtGate(job),
        job.fold().lastAt(),
        job.fold().state().isFinal() ? job.fold().completedAt() : null,
        job.priority().queueRank(job.row().createdAt()),
        waits ? open.plan().type() : null,
        waits ? job.backoffUntil(open, now) : null,
        job.dueAt(now),
        types.isEmpty() ? null : types.toArray(String[]::new),
        epochs.isEmpty() ? null : epochs.toArray(Long[]::new),
        job.fold().state().isFinal() ? Json.write(job.counts()) : null);
  }

  /** As {@link dev.millrace.core.store.JobView#stageAtGate}. */
  private static boolean isAtGate(PostgresJob job) {
    if (!job.fold().state().isOpen()) {
      return false;
    }
    boolean previousCompleted = true;
    for (StageFold stage : job.fold().stages()) {
      if (stage.state() == StageState.WAITING && previousCompleted) {
        return true;
      }
      previousCompleted = stage.state() == StageState.COMPLETED;
    }
    return false;
  }

  /** The values of {@link #VALUES}. */
  @Nullable Object[] values() {
    return new @Nullable Object[] {
      state,
      priority,
      atGate,
      updatedAt,
      endedAt,
      rank,
      claimType,
      claimType,
      claimAt,
      dueAt,
      runningTypes,
      runningEpochs,
      finalCounts
    };
  }
}

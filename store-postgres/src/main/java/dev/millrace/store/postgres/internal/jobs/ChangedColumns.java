package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.postgres.internal.jobs.PostgresJob.At;
import java.time.Instant;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a job that follow from its log, so that queries need not read it.
 *
 * @param endedAt null: it has not ended, and is in the queue
 * @param waiting how many tasks can be claimed, or will be after their backoff
 * @param claimType of the tasks that wait; null: none can be claimed
 * @param claimAt the end of a backoff; null: now
 * @param runningTypes as an array of the database; null: nothing runs
 * @param runningEpochs likewise
 * @param runningClaims likewise: the numbers of their log entries
 * @param finalCounts what an ended job adds to the counts, to be subtracted when it is deleted
 */
record ChangedColumns(
    String state,
    String priority,
    boolean atGate,
    Instant updatedAt,
    @Nullable Instant endedAt,
    long rank,
    int waiting,
    @Nullable String claimType,
    @Nullable Instant claimAt,
    @Nullable Instant dueAt,
    @Nullable String runningTypes,
    @Nullable String runningEpochs,
    @Nullable String runningClaims,
    @Nullable String finalCounts) {

  static ChangedColumns of(PostgresJob job, Instant now) {
    boolean ended = job.fold().state().isFinal();
    StageFold open = job.openStage();
    boolean waits = open != null && job.nextWaiting(open.number(), 0) >= 0;
    SortedSet<String> types = new TreeSet<>();
    SortedSet<Long> epochs = new TreeSet<>();
    SortedSet<Long> claims = new TreeSet<>();
    for (At at : job.running()) {
      StageFold stage = job.fold().stage(at.stage());
      TaskFold.LoggedClaim claim = Objects.requireNonNull(stage.task(at.task()).lastClaim());
      types.add(stage.plan().type());
      if (claim.lease() == null) { // else it lives without its server
        epochs.add(claim.token().epoch());
        claims.add(claim.token().number());
      }
    }
    return new ChangedColumns(
        job.fold().state().name(),
        job.priority().name(),
        isAtGate(job),
        job.fold().lastAt(),
        ended ? job.fold().completedAt() : null,
        job.priority().queueRank(job.row().createdAt()),
        waits ? open.count(TaskState.PENDING) + open.count(TaskState.RETRIED) : 0,
        waits ? open.plan().type() : null,
        waits ? job.backoffUntil(open, now) : null,
        ended ? null : job.dueAt(now),
        array(types),
        array(epochs),
        array(claims),
        ended ? Json.write(job.counts()) : null);
  }

  /** As the database reads an array; null if there is nothing. */
  private static @Nullable String array(SortedSet<?> values) {
    if (values.isEmpty()) {
      return null;
    }
    StringBuilder text = new StringBuilder("{");
    for (Object value : values) {
      String escaped = value.toString().replace("\\", "\\\\").replace("\"", "\\\"");
      text.append(text.length() > 1 ? "," : "").append('"').append(escaped).append('"');
    }
    return text.append('}').toString();
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
}

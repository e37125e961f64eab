package dev.millrace.core.internal.rules;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a task's events add up to.
 *
 * @param limit its own number of attempts; 0: as its stage says
 * @param attempts failures so far
 * @param recoveries crash recoveries; they count only while {@code mark} is the job's progress
 * @param mark the job's progress when it was last recovered
 * @param held the last claim, kept after it ended to tell a cancelled worker from a stale one
 * @param since when it entered its present state
 * @param notBefore end of its backoff
 * @param error of its last failure
 * @param resultAt where its result stands in the stage's results, if {@code resultLength > 0}
 * @param frozen what its first attempt settled; forgotten when it has ended
 * @param freeze the entry that says so, with the epoch that wrote it: unlike a number alone, no two
 *     are ever the same, whatever a power loss takes from the end of a log
 * @param metadata what a user has put in place of what came with it
 * @param describedAt when that was last done
 */
public record TaskFold(
    TaskState state,
    int ownMaxAttempts,
    int attempts,
    int recoveries,
    int progressAtRecovery,
    @Nullable LoggedClaim lastClaim,
    Instant createdAt,
    Instant stateSince,
    @Nullable Instant notBefore,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable String error,
    long resultOffset,
    int resultLength,
    @Nullable JsonObject frozen,
    @Nullable FencingToken freezeEntry,
    @Nullable JsonObject metadata,
    @Nullable Instant describedAt) {

  /**
   * A claim as the log has it.
   *
   * @param lease how long it lives without a heartbeat; null: as long as the owner that granted it
   * @param bare whether its worker cannot say the token
   */
  public record LoggedClaim(
      FencingToken token, String worker, @Nullable Duration lease, boolean tokenless) {}

  static TaskFold created(Instant at, int limit) {
    return new TaskFold(
        TaskState.CREATED,
        limit,
        0,
        0,
        0,
        null,
        at,
        at,
        null,
        null,
        null,
        null,
        0,
        0,
        null,
        null,
        null,
        null);
  }

  /** The token of the last claim; null before the first. */
  public @Nullable FencingToken token() {
    return lastClaim == null ? null : lastClaim.token();
  }

  /** Who made the last claim. */
  public @Nullable String worker() {
    return lastClaim == null ? null : lastClaim.worker();
  }

  /** How often it may fail, in a stage with that policy. */
  public int maxAttempts(TaskPolicy policy) {
    return ownMaxAttempts == 0 ? policy.maxAttempts() : ownMaxAttempts;
  }

  TaskFold withState(TaskState next, Instant at) {
    Instant started = startedAt == null && next == TaskState.IN_PROGRESS ? at : startedAt;
    return new TaskFold(
        next,
        ownMaxAttempts,
        attempts,
        recoveries,
        progressAtRecovery,
        lastClaim,
        createdAt,
        at,
        null,
        started,
        next.isFinal() ? at : null,
        error,
        resultOffset,
        resultLength,
        next.isFinal() ? null : frozen,
        freezeEntry,
        metadata,
        describedAt);
  }

  TaskFold claimed(LoggedClaim by) {
    return new TaskFold(
        state,
        ownMaxAttempts,
        attempts,
        recoveries,
        progressAtRecovery,
        by,
        createdAt,
        stateSince,
        null,
        startedAt,
        completedAt,
        error,
        0,
        0,
        frozen,
        freezeEntry,
        metadata,
        describedAt);
  }

  TaskFold failed(String message, @Nullable Instant waitUntil) {
    return new TaskFold(
        state,
        ownMaxAttempts,
        attempts + 1,
        recoveries,
        progressAtRecovery,
        lastClaim,
        createdAt,
        stateSince,
        waitUntil,
        startedAt,
        completedAt,
        message,
        0,
        0,
        frozen,
        freezeEntry,
        metadata,
        describedAt);
  }

  TaskFold ended(String message) {
    return new TaskFold(
        state,
        ownMaxAttempts,
        attempts,
        recoveries,
        progressAtRecovery,
        lastClaim,
        createdAt,
        stateSince,
        null,
        startedAt,
        completedAt,
        message,
        0,
        0,
        frozen,
        freezeEntry,
        metadata,
        describedAt);
  }

  TaskFold recovered(int times, int progress) {
    return new TaskFold(
        state,
        ownMaxAttempts,
        attempts,
        times,
        progress,
        lastClaim,
        createdAt,
        stateSince,
        null,
        startedAt,
        completedAt,
        error,
        0,
        0,
        frozen,
        freezeEntry,
        metadata,
        describedAt);
  }

  TaskFold delivered(long at, int length) {
    return new TaskFold(
        state,
        ownMaxAttempts,
        attempts,
        recoveries,
        progressAtRecovery,
        lastClaim,
        createdAt,
        stateSince,
        null,
        startedAt,
        completedAt,
        null,
        at,
        length,
        frozen,
        freezeEntry,
        metadata,
        describedAt);
  }

  TaskFold frozen(JsonObject terms, long entry) {
    return new TaskFold(
        state,
        ownMaxAttempts,
        attempts,
        recoveries,
        progressAtRecovery,
        lastClaim,
        createdAt,
        stateSince,
        notBefore,
        startedAt,
        completedAt,
        error,
        resultOffset,
        resultLength,
        terms,
        lastClaim == null ? null : new FencingToken(lastClaim.token().epoch(), entry),
        metadata,
        describedAt);
  }

  TaskFold described(JsonObject by, Instant at) {
    return new TaskFold(
        state,
        ownMaxAttempts,
        attempts,
        recoveries,
        progressAtRecovery,
        lastClaim,
        createdAt,
        stateSince,
        notBefore,
        startedAt,
        completedAt,
        error,
        resultOffset,
        resultLength,
        frozen,
        freezeEntry,
        by,
        at);
  }

  /** When anything about it last changed: its state, or what a user keeps with it. */
  public Instant updatedAt() {
    return describedAt == null || describedAt.isBefore(stateSince) ? stateSince : describedAt;
  }

  /**
   * What its journal must name to be believed: the entry that froze its terms or, where nothing is
   * frozen, its present claim. Null before the first.
   */
  public @Nullable FencingToken journalKey() {
    return freezeEntry == null ? token() : freezeEntry;
  }

  /**
   * Whether its backoff still runs. One that ends later than any could is of a clock that has been
   * set back since, and is over.
   */
  public boolean isInBackoff(Instant now, Duration longest) {
    return notBefore != null && now.isBefore(notBefore) && !notBefore.isAfter(now.plus(longest));
  }

  /** Recoveries that count, given the job's progress. */
  public int recoveriesSince(int progress) {
    return progressAtRecovery == progress ? recoveries : 0;
  }
}

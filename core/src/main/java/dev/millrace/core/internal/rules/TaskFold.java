package dev.millrace.core.internal.rules;

import dev.millrace.core.job.Adoption;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.Moment;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The state of a task, as its events add up to it.
 *
 * @param lastClaim kept after the claim ended, to tell a cancelled worker from a stale one
 * @param error of its last failure
 * @param adoption where its result is from; null if its own worker sent it, or it has none
 */
public record TaskFold(
    TaskState state,
    AttemptCounts counts,
    @Nullable LoggedClaim lastClaim,
    Times times,
    @Nullable String error,
    StoredResult stored,
    @Nullable Freeze freeze,
    @Nullable NewMetadata newMetadata,
    @Nullable Adoption adoption) {

  /**
   * How often it failed and was recovered.
   *
   * @param ownMax its own limit of failures; 0: its stage's limit
   * @param failed failures so far
   * @param recoveries losses of its worker; they count only while {@code progressAtRecovery} is the
   *     job's progress
   * @param excused losses that did not count, up to {@link ClaimRules#MOST_EXCUSED}; they hold as
   *     long as recoveries
   * @param progressAtRecovery the job's progress when it was last recovered
   */
  public record AttemptCounts(
      int ownMax, int failed, int recoveries, int excused, int progressAtRecovery) {
    AttemptCounts withFailure() {
      return new AttemptCounts(ownMax, failed + 1, recoveries, excused, progressAtRecovery);
    }
  }

  /**
   * A claim as the log has it.
   *
   * @param lease how long it lives without a heartbeat; null: as long as the owner that granted it
   * @param tokenless whether its worker answers without the token
   */
  public record LoggedClaim(
      FencingToken token, String worker, @Nullable Duration lease, boolean tokenless) {}

  /**
   * When it changed.
   *
   * @param stateSince when it entered its present state
   * @param notBefore the end of its backoff
   */
  public record Times(
      Instant createdAt,
      Moment stateSince,
      @Nullable Moment notBefore,
      @Nullable Instant startedAt,
      @Nullable Instant completedAt) {

    Times withNotBefore(@Nullable Moment end) {
      return new Times(createdAt, stateSince, end, startedAt, completedAt);
    }
  }

  /** Where its result is in the stage's results; none if {@code length} is 0. */
  public record StoredResult(long offset, int length) {
    static final StoredResult NONE = new StoredResult(0, 0);
  }

  /**
   * Where the terms are that its first attempt fixed. They are not kept in memory: a stage may have
   * 200,000 tasks, and only a task that is claimed again needs them.
   *
   * @param number of the log entry that has them
   * @param entry the same with the epoch that wrote it; null if no claim did. Unlike a number alone
   *     it is unique, whatever a power loss takes from the end of a log
   */
  public record Freeze(long number, @Nullable FencingToken entry) {}

  /** What a user has put in place of the metadata that came with the task. */
  record NewMetadata(JsonBytes metadata, Instant at) {}

  static TaskFold created(Moment at, int ownMaxAttempts) {
    return new TaskFold(
        TaskState.CREATED,
        new AttemptCounts(ownMaxAttempts, 0, 0, 0, 0),
        null,
        new Times(at.wall(), at, null, null, null),
        null,
        StoredResult.NONE,
        null,
        null,
        null);
  }

  TaskFold withState(TaskState next, Moment at) {
    Instant started =
        times.startedAt == null && next == TaskState.IN_PROGRESS ? at.wall() : times.startedAt;
    return new TaskFold(
        next,
        counts,
        lastClaim,
        new Times(times.createdAt, at, null, started, next.isFinal() ? at.wall() : null),
        error,
        stored,
        freeze,
        newMetadata,
        adoption);
  }

  TaskFold claimed(LoggedClaim by) {
    return new TaskFold(
        state,
        counts,
        by,
        times.withNotBefore(null),
        error,
        StoredResult.NONE,
        freeze,
        newMetadata,
        adoption);
  }

  TaskFold failed(String message, @Nullable Moment waitUntil) {
    return withAnswer(counts.withFailure(), waitUntil, message, StoredResult.NONE);
  }

  TaskFold ended(String message) {
    return withAnswer(counts, null, message, StoredResult.NONE);
  }

  /** Its worker was lost, and that counts. */
  TaskFold recovered(int progress) {
    return withLosses(recoveriesSince(progress) + 1, excusedSince(progress), progress);
  }

  /** Its worker was lost, and that does not count. */
  TaskFold excused(int progress) {
    int more = Math.min(ClaimRules.MOST_EXCUSED, excusedSince(progress) + 1);
    return withLosses(recoveriesSince(progress), more, progress);
  }

  /** It made progress: earlier losses do not count. */
  TaskFold progressed(int progress) {
    return withLosses(0, 0, progress);
  }

  private TaskFold withLosses(int recoveries, int excused, int progress) {
    AttemptCounts more =
        new AttemptCounts(counts.ownMax, counts.failed, recoveries, excused, progress);
    return withAnswer(more, null, error, StoredResult.NONE);
  }

  TaskFold delivered(long at, int length) {
    return withAnswer(counts, null, null, new StoredResult(at, length));
  }

  private TaskFold withAnswer(
      AttemptCounts newCounts,
      @Nullable Moment waitUntil,
      @Nullable String message,
      StoredResult result) {
    return new TaskFold(
        state,
        newCounts,
        lastClaim,
        times.withNotBefore(waitUntil),
        message,
        result,
        freeze,
        newMetadata,
        adoption);
  }

  TaskFold frozen(long entry) {
    FencingToken key =
        lastClaim == null ? null : new FencingToken(lastClaim.token().epoch(), entry);
    return new TaskFold(
        state,
        counts,
        lastClaim,
        times,
        error,
        stored,
        new Freeze(entry, key),
        newMetadata,
        adoption);
  }

  TaskFold described(JsonObject metadata, Instant at) {
    return new TaskFold(
        state,
        counts,
        lastClaim,
        times,
        error,
        stored,
        freeze,
        new NewMetadata(JsonBytes.of(metadata), at),
        adoption);
  }

  TaskFold adopted(Adoption from, StoredResult copy) {
    return new TaskFold(state, counts, lastClaim, times, error, copy, freeze, newMetadata, from);
  }

  /** The token of the last claim; null before the first. */
  public @Nullable FencingToken token() {
    return lastClaim == null ? null : lastClaim.token();
  }

  /** Failures so far. */
  public int attempts() {
    return counts.failed;
  }

  /** Its own limit of failures; 0: its stage's limit. */
  int ownMaxAttempts() {
    return counts.ownMax;
  }

  /** How often it may fail in a stage with that policy. */
  public int maxAttempts(TaskPolicy policy) {
    return counts.ownMax == 0 ? policy.maxAttempts() : counts.ownMax;
  }

  /** Losses of its worker since progress was last recorded. */
  public int recoveries() {
    return counts.recoveries;
  }

  /** Recoveries that count at this progress of the job. */
  public int recoveriesSince(int progress) {
    return counts.progressAtRecovery == progress ? counts.recoveries : 0;
  }

  /** Losses that did not count, at this progress of the job. */
  int excusedSince(int progress) {
    return counts.progressAtRecovery == progress ? counts.excused : 0;
  }

  public Instant createdAt() {
    return times.createdAt;
  }

  /** When it entered its present state. */
  public Moment stateSince() {
    return times.stateSince;
  }

  /** When anything about it last changed: its state or its metadata. */
  public Instant updatedAt() {
    Instant changed = times.stateSince.wall();
    return newMetadata == null || newMetadata.at.isBefore(changed) ? changed : newMetadata.at;
  }

  /** The end of its backoff. */
  public @Nullable Moment notBefore() {
    return times.notBefore;
  }

  public @Nullable Instant startedAt() {
    return times.startedAt;
  }

  public @Nullable Instant completedAt() {
    return times.completedAt;
  }

  /** What a user has put in place of the metadata that came with it; null: nothing. */
  public @Nullable JsonObject metadata() {
    return newMetadata == null ? null : JsonBytes.read(newMetadata.metadata);
  }

  /** Whether an attempt has fixed terms that later ones follow. */
  public boolean hasFrozenTerms() {
    return freeze != null && !state.isFinal();
  }

  /** The log entry that froze its terms. */
  public @Nullable FencingToken freezeEntry() {
    return freeze == null ? null : freeze.entry;
  }

  /**
   * What its journal must name to be valid: the entry that froze its terms or, without one, its
   * last claim. Null before the first.
   */
  public @Nullable FencingToken journalKey() {
    return freezeEntry() == null ? token() : freezeEntry();
  }

  /** Whether its backoff still lasts at that steady time. */
  public boolean isInBackoff(Instant now) {
    return times.notBefore != null && now.isBefore(times.notBefore.steady());
  }
}

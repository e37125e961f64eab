package dev.millrace.core.rules;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.Token;
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
    int limit,
    int attempts,
    int recoveries,
    int mark,
    @Nullable Held held,
    Instant createdAt,
    Instant since,
    @Nullable Instant notBefore,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable String error,
    long resultAt,
    int resultLength,
    @Nullable JsonObject frozen,
    @Nullable Token freeze,
    @Nullable JsonObject metadata,
    @Nullable Instant describedAt) {

  /**
   * A claim as the log has it.
   *
   * @param lease how long it lives without a heartbeat; null: as long as the owner that granted it
   * @param bare whether its worker cannot say the token
   */
  public record Held(Token token, String worker, @Nullable Duration lease, boolean bare) {}

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
  public @Nullable Token token() {
    return held == null ? null : held.token();
  }

  /** Who made the last claim. */
  public @Nullable String worker() {
    return held == null ? null : held.worker();
  }

  /** How often it may fail, in a stage with that policy. */
  public int maxAttempts(TaskPolicy policy) {
    return limit == 0 ? policy.maxAttempts() : limit;
  }

  TaskFold in(TaskState next, Instant at) {
    Instant started = startedAt == null && next == TaskState.IN_PROGRESS ? at : startedAt;
    return new TaskFold(
        next,
        limit,
        attempts,
        recoveries,
        mark,
        held,
        createdAt,
        at,
        null,
        started,
        next.isFinal() ? at : null,
        error,
        resultAt,
        resultLength,
        next.isFinal() ? null : frozen,
        freeze,
        metadata,
        describedAt);
  }

  TaskFold claimed(Held by) {
    return new TaskFold(
        state,
        limit,
        attempts,
        recoveries,
        mark,
        by,
        createdAt,
        since,
        null,
        startedAt,
        completedAt,
        error,
        0,
        0,
        frozen,
        freeze,
        metadata,
        describedAt);
  }

  TaskFold failed(String message, @Nullable Instant waitUntil) {
    return new TaskFold(
        state,
        limit,
        attempts + 1,
        recoveries,
        mark,
        held,
        createdAt,
        since,
        waitUntil,
        startedAt,
        completedAt,
        message,
        0,
        0,
        frozen,
        freeze,
        metadata,
        describedAt);
  }

  TaskFold ended(String message) {
    return new TaskFold(
        state,
        limit,
        attempts,
        recoveries,
        mark,
        held,
        createdAt,
        since,
        null,
        startedAt,
        completedAt,
        message,
        0,
        0,
        frozen,
        freeze,
        metadata,
        describedAt);
  }

  TaskFold recovered(int times, int progress) {
    return new TaskFold(
        state,
        limit,
        attempts,
        times,
        progress,
        held,
        createdAt,
        since,
        null,
        startedAt,
        completedAt,
        error,
        0,
        0,
        frozen,
        freeze,
        metadata,
        describedAt);
  }

  TaskFold delivered(long at, int length) {
    return new TaskFold(
        state,
        limit,
        attempts,
        recoveries,
        mark,
        held,
        createdAt,
        since,
        null,
        startedAt,
        completedAt,
        null,
        at,
        length,
        frozen,
        freeze,
        metadata,
        describedAt);
  }

  TaskFold frozen(JsonObject terms, long entry) {
    return new TaskFold(
        state,
        limit,
        attempts,
        recoveries,
        mark,
        held,
        createdAt,
        since,
        notBefore,
        startedAt,
        completedAt,
        error,
        resultAt,
        resultLength,
        terms,
        held == null ? null : new Token(held.token().epoch(), entry),
        metadata,
        describedAt);
  }

  TaskFold described(JsonObject by, Instant at) {
    return new TaskFold(
        state,
        limit,
        attempts,
        recoveries,
        mark,
        held,
        createdAt,
        since,
        notBefore,
        startedAt,
        completedAt,
        error,
        resultAt,
        resultLength,
        frozen,
        freeze,
        by,
        at);
  }

  /** When anything about it last changed: its state, or what a user keeps with it. */
  public Instant updatedAt() {
    return describedAt == null || describedAt.isBefore(since) ? since : describedAt;
  }

  /**
   * What its journal must name to be believed: the entry that froze its terms or, where nothing is
   * frozen, its present claim. Null before the first.
   */
  public @Nullable Token journal() {
    return freeze == null ? token() : freeze;
  }

  /**
   * Whether its backoff still runs. One that ends later than any could is of a clock that has been
   * set back since, and is over.
   */
  public boolean backsOff(Instant now, Duration longest) {
    return notBefore != null && now.isBefore(notBefore) && !notBefore.isAfter(now.plus(longest));
  }

  /** Recoveries that count, given the job's progress. */
  public int recoveriesSince(int progress) {
    return mark == progress ? recoveries : 0;
  }
}

package dev.millrace.core.rules;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.Token;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a task's events add up to.
 *
 * @param attempts failures so far
 * @param recoveries crash recoveries; they count only while {@code mark} is the job's progress
 * @param mark the job's progress when it was last recovered
 * @param token of the last claim, kept after it ended to tell a cancelled worker from a stale one
 * @param worker that made the last claim
 * @param since when it entered its present state
 * @param notBefore end of its backoff
 * @param error of its last failure
 * @param resultAt where its result stands in the stage's results, if {@code resultLength > 0}
 * @param frozen what its first attempt settled; forgotten when it has ended
 * @param freeze the entry that says so, with the epoch that wrote it: unlike a number alone, no two
 *     are ever the same, whatever a power loss takes from the end of a log
 */
public record TaskFold(
    TaskState state,
    int attempts,
    int recoveries,
    int mark,
    @Nullable Token token,
    @Nullable String worker,
    Instant since,
    @Nullable Instant notBefore,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable String error,
    long resultAt,
    int resultLength,
    @Nullable JsonObject frozen,
    @Nullable Token freeze) {

  static TaskFold created(Instant at) {
    return new TaskFold(
        TaskState.CREATED, 0, 0, 0, null, null, at, null, null, null, null, 0, 0, null, null);
  }

  TaskFold in(TaskState next, Instant at) {
    Instant started = startedAt == null && next == TaskState.IN_PROGRESS ? at : startedAt;
    return new TaskFold(
        next,
        attempts,
        recoveries,
        mark,
        token,
        worker,
        at,
        null,
        started,
        next.isFinal() ? at : null,
        error,
        resultAt,
        resultLength,
        next.isFinal() ? null : frozen,
        freeze);
  }

  TaskFold claimed(Token by, String workerName) {
    return new TaskFold(
        state,
        attempts,
        recoveries,
        mark,
        by,
        workerName,
        since,
        null,
        startedAt,
        completedAt,
        error,
        0,
        0,
        frozen,
        freeze);
  }

  TaskFold failed(String message, @Nullable Instant waitUntil) {
    return new TaskFold(
        state,
        attempts + 1,
        recoveries,
        mark,
        token,
        worker,
        since,
        waitUntil,
        startedAt,
        completedAt,
        message,
        0,
        0,
        frozen,
        freeze);
  }

  TaskFold ended(String message) {
    return new TaskFold(
        state,
        attempts,
        recoveries,
        mark,
        token,
        worker,
        since,
        null,
        startedAt,
        completedAt,
        message,
        0,
        0,
        frozen,
        freeze);
  }

  TaskFold recovered(int times, int progress) {
    return new TaskFold(
        state,
        attempts,
        times,
        progress,
        token,
        worker,
        since,
        null,
        startedAt,
        completedAt,
        error,
        0,
        0,
        frozen,
        freeze);
  }

  TaskFold delivered(long at, int length) {
    return new TaskFold(
        state,
        attempts,
        recoveries,
        mark,
        token,
        worker,
        since,
        null,
        startedAt,
        completedAt,
        null,
        at,
        length,
        frozen,
        freeze);
  }

  TaskFold frozen(JsonObject terms, long entry) {
    return new TaskFold(
        state,
        attempts,
        recoveries,
        mark,
        token,
        worker,
        since,
        notBefore,
        startedAt,
        completedAt,
        error,
        resultAt,
        resultLength,
        terms,
        token == null ? null : new Token(token.epoch(), entry));
  }

  /**
   * What its journal must name to be believed: the entry that froze its terms or, where nothing is
   * frozen, its present claim. Null before the first.
   */
  public @Nullable Token journal() {
    return freeze == null ? token : freeze;
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

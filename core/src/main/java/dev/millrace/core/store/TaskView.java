package dev.millrace.core.store;

import dev.millrace.core.job.Adoption;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.TraceContext;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A task as a reader sees it. {@code stage} and {@code task} count from 1.
 *
 * @param lastClaim its last claim, which may have ended; null before the first
 */
public record TaskView(
    int stage,
    int task,
    TaskState state,
    AttemptCounts attemptCounts,
    @Nullable LastClaim lastClaim,
    Timestamps times,
    Content content,
    Answer answer) {

  /**
   * How many attempts a task had and may have.
   *
   * @param failed failures so far
   * @param max how many failures end the task
   * @param notBefore the end of its backoff, while that lasts
   */
  public record AttemptCounts(int failed, int max, @Nullable Instant notBefore) {}

  /**
   * Who claimed a task last.
   *
   * @param token null where the reader is not told it
   * @param tokenless whether the worker answers without the token
   */
  public record LastClaim(String worker, @Nullable FencingToken token, boolean tokenless) {}

  /**
   * What was submitted.
   *
   * @param input text or any JSON value; null also where it cannot be read
   * @param metadata what is kept with the task now
   */
  public record Content(
      @Nullable Object input, JsonObject metadata, @Nullable TraceContext trace) {}

  /**
   * What workers answered.
   *
   * @param error of its last failure
   * @param adoption where an adopted result is from; null for one of the task's own worker
   */
  public record Answer(
      @Nullable TaskResult result, @Nullable String error, @Nullable Adoption adoption) {
    public Answer(@Nullable TaskResult result, @Nullable String error) {
      this(result, error, null);
    }
  }

  /** Failures so far. */
  public int attempts() {
    return attemptCounts.failed();
  }

  public int maxAttempts() {
    return attemptCounts.max();
  }

  /** The end of its backoff, while that lasts. */
  public @Nullable Instant notBefore() {
    return attemptCounts.notBefore();
  }

  /** The worker of its last claim. */
  public @Nullable String worker() {
    return lastClaim == null ? null : lastClaim.worker();
  }

  /** The token of its last claim. */
  public @Nullable FencingToken token() {
    return lastClaim == null ? null : lastClaim.token();
  }

  /** Whether the worker of its last claim answers without the token. */
  public boolean tokenless() {
    return lastClaim != null && lastClaim.tokenless();
  }

  public Instant createdAt() {
    return times.createdAt();
  }

  /** When it entered its present state, or its metadata was replaced since. */
  public Instant updatedAt() {
    return times.updatedAt();
  }

  public @Nullable Instant startedAt() {
    return times.startedAt();
  }

  public @Nullable Instant completedAt() {
    return times.completedAt();
  }

  public @Nullable Object input() {
    return content.input();
  }

  public JsonObject metadata() {
    return content.metadata();
  }

  public @Nullable TraceContext trace() {
    return content.trace();
  }

  public @Nullable TaskResult result() {
    return answer.result();
  }

  public @Nullable String error() {
    return answer.error();
  }

  /** Where its result is from, if it was adopted; null if its own worker sent it. */
  public @Nullable Adoption adoption() {
    return answer.adoption();
  }
}

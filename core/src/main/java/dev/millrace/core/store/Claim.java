package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.OutputChunk;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task that a worker has claimed.
 *
 * @param type of the task's stage
 * @param data the stage's parameters
 * @param createdAt when the job was created
 * @param resumption what earlier attempts left to resume from; null if nothing
 * @param view the task as a reader saw it when it was claimed
 */
public record Claim(
    JobId job,
    ClaimKey key,
    String type,
    JsonObject data,
    Instant createdAt,
    Limits limits,
    @Nullable Resumption resumption,
    TaskView view) {

  /**
   * How long a claim lasts.
   *
   * @param runTimeout how long this attempt may take; null: no limit
   * @param lease how long it lives without a heartbeat; null: as long as the store's owner
   */
  public record Limits(@Nullable Duration runTimeout, @Nullable Duration lease) {
    public static final Limits NONE = new Limits(null, null);
  }

  /**
   * What an attempt resumes from.
   *
   * @param terms what an earlier attempt fixed by {@link TaskQueue#freeze}
   * @param output what earlier attempts journaled under these terms, with a text for each token
   */
  public record Resumption(JsonObject terms, OutputChunk output) {}

  /** Which attempt this is, from 1. */
  public int attempt() {
    return view.attempts() + 1;
  }

  /** Text, or any JSON value. */
  public @Nullable Object input() {
    return view.input();
  }

  /** The input as a program reads it: text as it is, anything else as JSON. */
  public String inputText() {
    return input() instanceof String text ? text : Json.write(input());
  }

  /** How long this attempt may take; null: no limit. */
  public @Nullable Duration runTimeout() {
    return limits.runTimeout();
  }

  /** How long it lives without a heartbeat; null: as long as the store's owner. */
  public @Nullable Duration lease() {
    return limits.lease();
  }

  /** What an earlier attempt fixed; null on the first. */
  public @Nullable JsonObject frozenTerms() {
    return resumption == null ? null : resumption.terms();
  }

  /** The ids that earlier attempts journaled under the frozen terms. */
  public List<Integer> journaledTokens() {
    return journaledOutput().tokens();
  }

  /** What earlier attempts journaled under the frozen terms, with a text for each token. */
  public OutputChunk journaledOutput() {
    return resumption == null ? OutputChunk.EMPTY : resumption.output();
  }

  /** Whether its worker answers without the token. */
  public boolean tokenless() {
    return view.tokenless();
  }

  @Override
  public String toString() {
    return job + "/" + key.stage() + "/" + key.task();
  }
}

package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.ClaimKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A task in a worker's hands.
 *
 * @param attempt which one this is, from 1
 * @param input text, or any JSON value
 * @param data the stage's parameters
 * @param runTimeout how long this attempt may take; null: as long as it likes
 * @param createdAt when the job was
 * @param frozen what an earlier attempt settled by {@link TaskQueue#freeze}; null on the first
 * @param prior the ids that earlier attempts journaled under these terms, to go on from
 * @param lease how long it lives without a heartbeat; null: as long as the store's owner
 * @param bare whether its worker cannot say the token
 * @param view the task as a reader sees it now
 */
public record Claim(
    JobId job,
    ClaimKey key,
    String type,
    int attempt,
    @Nullable Object input,
    JsonObject data,
    @Nullable Duration runTimeout,
    Instant createdAt,
    @Nullable JsonObject frozenTerms,
    List<Integer> journaledTokens,
    @Nullable Duration lease,
    boolean tokenless,
    TaskView view) {

  /** The input as a program reads it: text as it is, anything else as JSON. */
  public String inputText() {
    return input instanceof String text ? text : Json.write(input);
  }

  @Override
  public String toString() {
    return job + "/" + key.stage() + "/" + key.task();
  }
}

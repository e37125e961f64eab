package dev.millrace.client.wire;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * What became of a task, as its worker says it.
 *
 * @param completed COMPLETED, else FAILED
 * @param result text, or any JSON value
 * @param retryable whether another attempt could help
 * @param partial what a failed attempt had produced
 * @param receipt how the output came about
 */
public record TaskAnswer(
    boolean completed,
    @Nullable Object result,
    @Nullable String error,
    boolean retryable,
    @Nullable String partial,
    @Nullable JsonObject receipt) {

  public static TaskAnswer completed(@Nullable Object result) {
    return new TaskAnswer(true, result, null, true, null, null);
  }

  public static TaskAnswer failed(String error, boolean retryable) {
    return new TaskAnswer(false, null, error, retryable, null, null);
  }

  public TaskAnswer partial(@Nullable String output) {
    return new TaskAnswer(completed, result, error, retryable, output, receipt);
  }

  public TaskAnswer receipt(@Nullable JsonObject given) {
    return new TaskAnswer(completed, result, error, retryable, partial, given);
  }

  public JsonObject toJson(@Nullable String token) {
    JsonObject out =
        JsonObject.create()
            .put("status", completed ? "COMPLETED" : "FAILED")
            .putIfPresent("token", token)
            .putIfPresent("result", result)
            .putIfPresent("error", error);
    if (!completed && !retryable) {
      out.put("retryable", false);
    }
    return out.putIfPresent("partial", partial).putIfPresent("receipt", receipt);
  }
}

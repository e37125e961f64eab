package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A report by a worker that its task is COMPLETED or FAILED.
 *
 * @param completed COMPLETED, else FAILED
 * @param result text, or any JSON value
 * @param retryable whether another attempt may succeed
 * @param partial the output of a failed attempt
 * @param receipt how the output was produced
 */
public record TaskStatusUpdate(
    boolean completed,
    @Nullable Object result,
    @Nullable String error,
    boolean retryable,
    @Nullable String partial,
    @Nullable JsonObject receipt) {

  public static TaskStatusUpdate completed(@Nullable Object result) {
    return new TaskStatusUpdate(true, result, null, true, null, null);
  }

  public static TaskStatusUpdate failed(String error, boolean retryable) {
    return new TaskStatusUpdate(false, null, error, retryable, null, null);
  }

  public TaskStatusUpdate partial(@Nullable String output) {
    return new TaskStatusUpdate(completed, result, error, retryable, output, receipt);
  }

  public TaskStatusUpdate receipt(@Nullable JsonObject given) {
    return new TaskStatusUpdate(completed, result, error, retryable, partial, given);
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

package dev.millrace.core.stage;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A task as it is submitted.
 *
 * @param input what the worker gets: text, or any JSON value
 * @param template whether {@code input} is a template over earlier results, rendered when the stage
 *     opens
 * @param maxAttempts how many failures end it; null: its stage's limit
 * @param metadata what its submitter keeps with it
 */
public record TaskSpec(
    @Nullable Object input,
    boolean template,
    @Nullable Integer maxAttempts,
    JsonObject metadata,
    @Nullable TraceContext trace) {
  public TaskSpec {
    if (template && !(input instanceof String)) {
      throw new IllegalArgumentException("a template must be text");
    }
    if (maxAttempts != null) {
      TaskPolicy.requireAttempts(maxAttempts);
    }
    Json.requireDepth(input, "a task's input");
    Json.requireDepth(metadata, "a task's metadata");
  }

  public TaskSpec(@Nullable Object input, boolean template) {
    this(input, template, null, JsonObject.create(), null);
  }

  public static TaskSpec of(@Nullable Object input) {
    return new TaskSpec(input, false);
  }

  /** The same with the text that its template was rendered to. */
  public TaskSpec rendered(String text) {
    return new TaskSpec(text, false, maxAttempts, metadata, trace);
  }
}

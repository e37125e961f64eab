package dev.millrace.core.stage;

import org.jspecify.annotations.Nullable;

/**
 * A task as it is asked for.
 *
 * @param input what the worker gets: text, or any JSON value
 * @param template whether {@code input} is a text over earlier results, rendered when the stage
 *     opens
 */
public record TaskSpec(@Nullable Object input, boolean template) {
  public TaskSpec {
    if (template && !(input instanceof String)) {
      throw new IllegalArgumentException("a template must be text");
    }
  }

  public static TaskSpec of(@Nullable Object input) {
    return new TaskSpec(input, false);
  }
}

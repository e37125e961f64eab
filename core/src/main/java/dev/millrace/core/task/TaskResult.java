package dev.millrace.core.task;

import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * The result of a task.
 *
 * @param receipt how it was made (model, parameters, seed, counts, timings); null if the worker
 *     gives none
 */
public record TaskResult(Kind kind, String text, @Nullable JsonObject receipt) {

  /** Which kind of artifact the text is. */
  public enum Kind {
    /** Text, in {@code result.txt}. */
    RESULT,
    /** A vector as JSON, in {@code embedding.json}. */
    EMBEDDING
  }

  public TaskResult(Kind kind, String text) {
    this(kind, text, null);
  }

  public static TaskResult of(String text) {
    return new TaskResult(Kind.RESULT, text);
  }

  public TaskResult withReceipt(JsonObject given) {
    return new TaskResult(kind, text, given);
  }
}

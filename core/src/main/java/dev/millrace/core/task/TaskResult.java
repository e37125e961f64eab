package dev.millrace.core.task;

/** What a worker made of a task. */
public record TaskResult(Kind kind, String text) {

  /** Which artifact the text is. */
  public enum Kind {
    /** Text, in {@code result.txt}. */
    RESULT,
    /** A vector as JSON, in {@code embedding.json}. */
    EMBEDDING
  }

  public static TaskResult of(String text) {
    return new TaskResult(Kind.RESULT, text);
  }
}

package dev.millrace.core.rules;

/** What a lever answers. A lost race is a value, not an exception. */
public sealed interface Answer {

  /** It happened, and is durable. */
  record Done() implements Answer {}

  /** The table or a guard does not allow it; nothing changed. */
  record Refused(String message) implements Answer {}

  /** The claim behind the answer is no longer the task's present one; nothing changed. */
  record Fenced(String message) implements Answer {}

  /** The task's job ended meanwhile; output is kept as partial, not published. */
  record Cancelled(String message) implements Answer {}

  /** There is no such job, stage or task. */
  record Missing(String message) implements Answer {}

  Answer DONE = new Done();

  default boolean done() {
    return this instanceof Done;
  }
}

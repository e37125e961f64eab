package dev.millrace.engine.toolcall;

/**
 * A piece of what a model says. Calls are counted from 0; between {@link CallBegan} and {@link
 * CallEnded} of a call there are only arguments of it. A call without an end is not complete: the
 * output was cut, or broke off there.
 */
public sealed interface OutputPart {
  /** More of the thoughts before the answer. */
  record Thought(String text) implements OutputPart {}

  /** More of the answer's text. */
  record Text(String text) implements OutputPart {}

  /** A call begins. */
  record CallBegan(int index, String name) implements OutputPart {}

  /** More of a call's arguments; all of them together, once it is complete, are a JSON object. */
  record CallArguments(int index, String json) implements OutputPart {}

  /** A call is complete. */
  record CallEnded(int index) implements OutputPart {}
}

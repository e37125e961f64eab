package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;

/**
 * How a model marks its thoughts, which come before its answer.
 *
 * @param open the text before the thoughts, such as {@code <think>}
 * @param close the text after them
 * @param opened whether the prompt has opened the thoughts already, so that the output begins
 *     inside them
 */
public record ThoughtTags(String open, String close, boolean opened) {
  public ThoughtTags {
    if (open.isBlank() || close.isBlank()) {
      throw new EngineException(
          "request: the thought tags are '%s' and '%s'; neither may be blank"
              .formatted(open, close));
    }
  }
}

package dev.millrace.core.task;

import java.util.List;

/**
 * A stretch of output as it is generated. What the ids mean is between a worker and itself; the
 * text is for readers.
 *
 * @param tokens ids, in order
 * @param text what became certain with them: often less, and sometimes more, than their own
 */
public record OutputChunk(List<Integer> tokens, String text) {
  /** Nothing yet: says only that a task which had its terms, and waited, is at work now. */
  public static final OutputChunk EMPTY = new OutputChunk(List.of(), "");

  public OutputChunk {
    tokens = List.copyOf(tokens);
  }

  /** Whether it says nothing but {@link #EMPTY}. */
  public boolean isEmpty() {
    return tokens.isEmpty() && text.isEmpty();
  }
}

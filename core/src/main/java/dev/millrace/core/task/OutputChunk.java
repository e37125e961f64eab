package dev.millrace.core.task;

import java.util.List;

/**
 * A piece of generated output. Only the worker knows what the ids mean; the text is for readers.
 *
 * @param tokens ids, in order
 * @param text the text that became certain with these tokens; it may be shorter or longer than
 *     theirs
 */
public record OutputChunk(List<Integer> tokens, String text) {
  /** No output yet: says only that a waiting task with frozen terms has started. */
  public static final OutputChunk EMPTY = new OutputChunk(List.of(), "");

  public OutputChunk {
    tokens = List.copyOf(tokens);
  }

  /** Whether it has no output, as {@link #EMPTY}. */
  public boolean isEmpty() {
    return tokens.isEmpty() && text.isEmpty();
  }
}

package dev.millrace.core.task;

import java.util.List;

/**
 * A piece of generated output. Only the worker knows what the ids mean; the text is for readers.
 *
 * @param tokens ids, in order
 * @param text the text that became certain with these tokens; it may be shorter or longer than
 *     theirs
 * @param waits whether it only says that the task waits, as {@link #WAITING}
 */
public record OutputChunk(List<Integer> tokens, String text, boolean waits) {
  /** No output yet: says only that a task that waited has started. */
  public static final OutputChunk EMPTY = new OutputChunk(List.of(), "");

  /**
   * No output yet: says that the task is prepared and only waits for its turn, so that a crash is
   * not its fault until it starts.
   */
  public static final OutputChunk WAITING = new OutputChunk(List.of(), "", true);

  public OutputChunk {
    tokens = List.copyOf(tokens);
    if (waits && !(tokens.isEmpty() && text.isEmpty())) {
      throw new IllegalArgumentException("a task that waits has no output");
    }
  }

  public OutputChunk(List<Integer> tokens, String text) {
    this(tokens, text, false);
  }

  /** Whether it has no output, as {@link #EMPTY} and {@link #WAITING}. */
  public boolean isEmpty() {
    return tokens.isEmpty() && text.isEmpty();
  }
}

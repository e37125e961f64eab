package dev.millrace.core.task;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A part of generated output. Only the worker knows what the ids mean; the text is for readers.
 *
 * @param tokens ids, in order
 * @param pieces the text that became certain with each token, which may be empty; or one text for
 *     all of them, where it is not known apart
 * @param waits whether it only says that the task waits, as {@link #WAITING}
 */
public record OutputChunk(List<Integer> tokens, List<String> pieces, boolean waits) {
  /** No output yet: says only that a task that waited has started. */
  public static final OutputChunk EMPTY = new OutputChunk(List.of(), "");

  /**
   * No output yet: says that the task is prepared and only waits for its turn, so that a crash is
   * not its fault until it starts.
   */
  public static final OutputChunk WAITING = new OutputChunk(List.of(), List.of(), true);

  public OutputChunk {
    tokens = List.copyOf(tokens);
    pieces = List.copyOf(pieces);
    if (waits && !(tokens.isEmpty() && pieces.isEmpty())) {
      throw new IllegalArgumentException("a task that waits has no output");
    }
    if (pieces.size() != tokens.size() && pieces.size() != 1) {
      throw new IllegalArgumentException(
          "%d texts for %d tokens; give one for each, or one for all"
              .formatted(pieces.size(), tokens.size()));
    }
  }

  /** Output whose text is known for each token. */
  public OutputChunk(List<Integer> tokens, List<String> pieces) {
    this(tokens, pieces, false);
  }

  /** Output whose text is not known for each token. */
  public OutputChunk(List<Integer> tokens, String text) {
    this(tokens, tokens.isEmpty() && text.isEmpty() ? List.of() : List.of(text), false);
  }

  /** The text that became certain with these tokens; it may be shorter or longer than theirs. */
  public String text() {
    return pieces.size() == 1 ? pieces.getFirst() : String.join("", pieces);
  }

  /** A text for each token; where it is not known apart, the last token has all of it. */
  public List<String> pieceOfEachToken() {
    if (pieces.size() == tokens.size()) {
      return pieces;
    }
    List<String> each = new ArrayList<>(Collections.nCopies(tokens.size(), ""));
    if (!each.isEmpty()) {
      each.set(each.size() - 1, pieces.getFirst());
    }
    return each;
  }

  /** Several chunks as one, with a text for each token. Text without any token is left out. */
  public static OutputChunk joined(List<OutputChunk> chunks) {
    List<Integer> ids = new ArrayList<>();
    List<String> texts = new ArrayList<>();
    for (OutputChunk chunk : chunks) {
      ids.addAll(chunk.tokens);
      texts.addAll(chunk.pieceOfEachToken());
    }
    return new OutputChunk(ids, texts);
  }

  /** Whether it has no output, as {@link #EMPTY} and {@link #WAITING}. */
  public boolean isEmpty() {
    return tokens.isEmpty() && pieces.isEmpty();
  }
}

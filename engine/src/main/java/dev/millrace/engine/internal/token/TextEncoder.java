package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.IntList;

/** Encodes plain text as tokens. Any thread may call it. */
public interface TextEncoder {

  /**
   * Adds the tokens of a slice of a text.
   *
   * @param first whether the slice starts the text, or follows a special token
   */
  void encode(byte[] text, int from, int to, boolean first, IntList tokens);

  /** The bytes of a normal token with this text. */
  byte[] decodePiece(String text);
}

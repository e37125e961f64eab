package dev.millrace.engine.token;

/** Turns plain text into tokens. Any thread may call it. */
interface Encoding {

  /**
   * Adds the tokens of a slice of a text.
   *
   * @param first whether the slice starts the text, or follows a special token
   */
  void encode(byte[] text, int from, int to, boolean first, IntList tokens);

  /** The bytes of a normal token with this text. */
  byte[] piece(String text);
}

package dev.millrace.engine.token;

import java.util.BitSet;

/**
 * A prompt, and which of its characters come from messages. All others were written by the chat
 * template. Immutable.
 */
public final class PromptText {
  private final String text;
  private final BitSet messageIndexes;

  /**
   * @param messageIndexes the UTF-16 units that come from messages; do not change it later
   */
  public PromptText(String text, BitSet messageIndexes) {
    this.text = text;
    this.messageIndexes = messageIndexes;
  }

  public String text() {
    return text;
  }

  /** Its first {@code length} UTF-16 units. */
  public PromptText prefix(int length) {
    return new PromptText(text.substring(0, length), messageIndexes.get(0, length));
  }

  /** The bytes that come from messages, of the text in UTF-8. */
  BitSet messageBytes() {
    BitSet bytes = new BitSet();
    int size = 0;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      int length = utf8Length(c);
      bytes.set(size, size + length, messageIndexes.get(i));
      size += length;
      i += Character.charCount(c);
    }
    return bytes;
  }

  private static int utf8Length(int c) {
    if (c < 0x80 || (c >= 0xD800 && c < 0xE000)) {
      return 1; // half of a surrogate pair becomes a question mark
    }
    return c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  }
}

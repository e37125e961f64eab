package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.util.Arrays;

/** The visible space U+2581 that SentencePiece writes for a space. */
final class VisibleSpace {
  private static final char VISIBLE = '\u2581';
  private static final byte[] VISIBLE_BYTES = LenientUtf8.bytes("\u2581");

  private VisibleSpace() {}

  /** A slice of a text with visible spaces; {@code lead} adds one at the start. */
  static byte[] toVisible(byte[] text, int from, int to, boolean lead) {
    int spaces = lead ? 1 : 0;
    for (int i = from; i < to; i++) {
      spaces += text[i] == ' ' ? 1 : 0;
    }
    int extra = VISIBLE_BYTES.length - 1;
    byte[] shown = new byte[Math.addExact(to - from + (lead ? 1 : 0), spaces * extra)];
    int size = lead ? put(shown, 0) : 0;
    for (int i = from; i < to; i++) {
      if (text[i] == ' ') {
        size = put(shown, size);
      } else {
        shown[size++] = text[i];
      }
    }
    return Arrays.copyOf(shown, size);
  }

  /** The text with plain spaces instead of visible ones. */
  static byte[] fromVisible(String text) {
    return LenientUtf8.bytes(text.replace(VISIBLE, ' '));
  }

  private static int put(byte[] to, int at) {
    System.arraycopy(VISIBLE_BYTES, 0, to, at, VISIBLE_BYTES.length);
    return at + VISIBLE_BYTES.length;
  }
}

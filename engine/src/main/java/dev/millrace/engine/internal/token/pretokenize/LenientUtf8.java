package dev.millrace.engine.internal.token.pretokenize;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** UTF-8 as tokenizers read it: any bytes are accepted. */
public final class LenientUtf8 {
  public static final int REPLACEMENT = 0xFFFD;

  private static final char ESCAPE = '\uDC00';

  private LenientUtf8() {}

  /**
   * The length of a character, by its first byte alone; symbols are cut like this before merging. A
   * byte that starts no character has length 1.
   */
  public static int length(byte first) {
    int high = first & 0xF0;
    return high < 0xC0 ? 1 : high < 0xE0 ? 2 : high < 0xF0 ? 3 : 4;
  }

  /**
   * The bytes of a string of a file's metadata, where a lone surrogate U+DC80 to U+DCFF stands for
   * a byte that is not UTF-8.
   */
  public static byte[] bytes(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isEscape(text, i)) {
        return unescaped(text);
      }
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] unescaped(String text) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      if (isEscape(text, i)) {
        out.write(point - ESCAPE);
      } else {
        out.writeBytes(Character.toString(point).getBytes(StandardCharsets.UTF_8));
      }
      i += Character.charCount(point);
    }
    return out.toByteArray();
  }

  private static boolean isEscape(String text, int i) {
    char c = text.charAt(i);
    return c >= ESCAPE + 0x80
        && c <= ESCAPE + 0xFF
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  /** Writes a code point and returns the offset after it. */
  public static int put(int point, byte[] to, int at) {
    if (point < 0x80) {
      to[at++] = (byte) point;
    } else if (point < 0x800) {
      to[at++] = (byte) (0xC0 | point >> 6);
      to[at++] = tail(point);
    } else if (point < 0x10000) {
      to[at++] = (byte) (0xE0 | point >> 12);
      to[at++] = tail(point >> 6);
      to[at++] = tail(point);
    } else {
      to[at++] = (byte) (0xF0 | point >> 18);
      to[at++] = tail(point >> 12);
      to[at++] = tail(point >> 6);
      to[at++] = tail(point);
    }
    return at;
  }

  private static byte tail(int bits) {
    return (byte) (0x80 | bits & 0x3F);
  }
}

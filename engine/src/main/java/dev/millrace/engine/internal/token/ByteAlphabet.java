package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.util.Arrays;

/**
 * The alphabet in which byte-level vocabularies are written: a visible character for each byte.
 * Bytes that are visible in Latin-1 stand for themselves, the others for U+0100 and on, in order.
 * (From the encoder of GPT-2.)
 */
public final class ByteAlphabet {
  private static final char[] CHARACTERS = new char[256];
  private static final short[] BYTES = new short[512]; // -1: no byte

  static {
    Arrays.fill(BYTES, (short) -1);
    char further = 0x100;
    for (int b = 0; b < 256; b++) {
      boolean visible = b >= '!' && b <= '~' || b >= 0xA1 && b <= 0xAC || b >= 0xAE;
      CHARACTERS[b] = visible ? (char) b : further++;
      BYTES[CHARACTERS[b]] = (short) b;
    }
  }

  private ByteAlphabet() {}

  /** Writes the character of a byte in UTF-8 and returns the offset after it. */
  public static int put(byte b, byte[] to, int at) {
    return LenientUtf8.put(CHARACTERS[b & 0xFF], to, at);
  }

  /** The bytes that a text in the alphabet stands for; any other character stands for itself. */
  static byte[] bytes(String text) {
    byte[] bytes = new byte[text.length() * 3];
    int size = 0;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      int b = point < BYTES.length ? BYTES[point] : -1;
      if (b >= 0) {
        bytes[size++] = (byte) b;
      } else {
        byte[] own = LenientUtf8.bytes(Character.toString(point));
        System.arraycopy(own, 0, bytes, size, own.length);
        size += own.length;
      }
      i += Character.charCount(point);
    }
    return Arrays.copyOf(bytes, size);
  }
}

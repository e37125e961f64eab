package dev.millrace.engine.internal.gguf;

import java.nio.charset.StandardCharsets;

/**
 * Strings in GGUF files. They are UTF-8, but some vocabularies have tokens of arbitrary bytes: a
 * byte that is not UTF-8 becomes the lone surrogate U+DC80 to U+DCFF, which no valid text contains
 * (Python calls this surrogateescape). So different tokens stay different, and encoding restores
 * the exact bytes.
 */
public final class GgufStrings {
  private static final char REPLACED = '\uFFFD';
  private static final char ESCAPE = '\uDC00';
  private static final int MOST_SHOWN = 100;

  private GgufStrings() {}

  public static String decode(byte[] bytes, int from, int length) {
    String text = new String(bytes, from, length, StandardCharsets.UTF_8);
    return text.indexOf(REPLACED) < 0 ? text : escape(bytes, from, length);
  }

  /** Whether a decoded string contains a byte that was not UTF-8. */
  public static boolean hasEscapedBytes(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (hasEscapedBytes(text, i)) {
        return true;
      }
    }
    return false;
  }

  public static byte[] encode(String text) {
    if (!hasEscapedBytes(text)) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
    var out = new java.io.ByteArrayOutputStream(text.length() * 2);
    int plain = 0;
    for (int i = 0; i < text.length(); i++) {
      if (hasEscapedBytes(text, i)) {
        out.writeBytes(text.substring(plain, i).getBytes(StandardCharsets.UTF_8));
        out.write(text.charAt(i) - ESCAPE);
        plain = i + 1;
      }
    }
    out.writeBytes(text.substring(plain).getBytes(StandardCharsets.UTF_8));
    return out.toByteArray();
  }

  /** A name from a file for use in a message: short, in quotes, on one line. */
  static String quote(String name) {
    String shown = name.length() <= MOST_SHOWN ? name : name.substring(0, MOST_SHOWN) + "…";
    StringBuilder out = new StringBuilder(shown.length() + 2).append('"');
    shown.chars().forEach(c -> out.append(Character.isISOControl(c) ? '?' : (char) c));
    return out.append('"').toString();
  }

  private static boolean hasEscapedBytes(String text, int i) {
    char c = text.charAt(i);
    return c >= ESCAPE + 0x80
        && c <= ESCAPE + 0xFF
        && (i == 0 || !Character.isHighSurrogate(text.charAt(i - 1)));
  }

  private static String escape(byte[] bytes, int from, int length) {
    StringBuilder out = new StringBuilder(length);
    int end = from + length;
    for (int at = from; at < end; ) {
      int character = characterLength(bytes, at, end);
      if (character == 0) {
        out.append((char) (ESCAPE + (bytes[at++] & 0xFF)));
      } else {
        out.append(new String(bytes, at, character, StandardCharsets.UTF_8));
        at += character;
      }
    }
    return out.toString();
  }

  /** The length of the well-formed character (RFC 3629) at an offset; 0 if there is none. */
  private static int characterLength(byte[] bytes, int at, int end) {
    int first = bytes[at] & 0xFF;
    int length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length <= 1) {
      return length;
    }
    if (first > 0xF4 || length > end - at) {
      return 0;
    }
    for (int i = 1; i < length; i++) {
      if ((bytes[at + i] & 0xC0) != 0x80) {
        return 0;
      }
    }
    int second = bytes[at + 1] & 0xFF;
    boolean overlong = first == 0xE0 && second < 0xA0 || first == 0xF0 && second < 0x90;
    boolean beyond = first == 0xED && second >= 0xA0 || first == 0xF4 && second >= 0x90;
    return overlong || beyond ? 0 : length;
  }
}

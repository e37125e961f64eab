package dev.millrace.engine.internal.token.pretokenize;

/**
 * A text as code points with their kinds. Each byte that is not UTF-8 becomes U+FFFD; overlong
 * forms and surrogates are decoded as they are, as in llama.cpp.
 */
public final class CodePointText {
  /** Patterns see every space beyond ASCII as this one. */
  private static final int ANY_SPACE = 0x0B;

  private final int[] points;
  private final int[] seen;
  private final byte[] kinds;
  private final int size;

  private CodePointText(int[] points, int[] seen, byte[] kinds, int size) {
    this.points = points;
    this.seen = seen;
    this.kinds = kinds;
    this.size = size;
  }

  public static CodePointText of(byte[] text, int from, int to) {
    int[] points = new int[to - from];
    int[] seen = new int[to - from];
    byte[] kinds = new byte[to - from];
    int size = 0;
    for (int at = from; at < to; size++) {
      int length = LenientUtf8.length(text[at]);
      int point = length == 1 && text[at] >= 0 ? text[at] : decode(text, at, length, to);
      at += point < 0 ? 1 : length;
      points[size] = point < 0 ? LenientUtf8.REPLACEMENT : point;
      int kind = CharacterKind.of(points[size]);
      kinds[size] = (byte) kind;
      seen[size] = point >= 0x80 && kind == CharacterKind.SPACE ? ANY_SPACE : points[size];
    }
    return new CodePointText(points, seen, kinds, size);
  }

  /** The code point of the character of {@code length} bytes at an offset; -1 if there is none. */
  private static int decode(byte[] text, int at, int length, int to) {
    if (length == 1 || length > to - at || (text[at] & 0xFF) >= 0xF8) {
      return -1;
    }
    int point = text[at] & (0xFF >> (length + 1));
    for (int i = 1; i < length; i++) {
      if ((text[at + i] & 0xC0) != 0x80) {
        return -1;
      }
      point = point << 6 | text[at + i] & 0x3F;
    }
    return point <= Character.MAX_CODE_POINT ? point : -1;
  }

  public int size() {
    return size;
  }

  public int point(int index) {
    return points[index];
  }

  int kind(int index) {
    return kinds[index] & 0xFF;
  }

  /** The code point as the patterns of pre-tokenizers see it. */
  int normalizedPoint(int index) {
    return seen[index];
  }
}

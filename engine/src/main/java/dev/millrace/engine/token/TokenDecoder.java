package dev.millrace.engine.token;

import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.util.Set;

/**
 * Decodes tokens into text as they arrive. A character is never split: an incomplete one is held
 * back. Bytes that are not UTF-8 become U+FFFD, one for each longest part that could have begun a
 * character, as in the WHATWG's decoder (the result of the JDK's depends on where a text is cut).
 * So the pieces together equal what {@link Tokenizer#decode} returns at once. For one thread.
 */
public final class TokenDecoder {
  private static final int FIRST_TAIL = 0x80;
  private static final int LAST_TAIL = 0xBF;

  private final Tokenizer tokenizer;
  private final StringBuilder out = new StringBuilder();
  private boolean special;
  private Set<Integer> shown = Set.of();
  private boolean atStart;
  private int point; // the bits so far of the incomplete character
  private int missing; // how many more bytes it needs
  private int least = FIRST_TAIL; // the lowest value that its next byte may have
  private int most = LAST_TAIL;

  TokenDecoder(Tokenizer tokenizer) {
    this.tokenizer = tokenizer;
  }

  /** Also decodes control tokens, to their texts such as {@code <|eot_id|>}. */
  public TokenDecoder withSpecial() {
    special = true;
    return this;
  }

  /** Also decodes these control tokens to their texts. */
  public TokenDecoder showing(Set<Integer> controlTokens) {
    shown = controlTokens;
    return this;
  }

  /**
   * The tokens start a text instead of continuing one: a space that the tokenizer puts before a
   * text is left out.
   */
  public TokenDecoder fromStart() {
    atStart = true;
    return this;
  }

  /** The text that is certain now; it may be empty. */
  public String next(int token) {
    byte[] bytes = isShown(token) ? tokenizer.shownBytes(token) : tokenizer.bytes(token);
    if (bytes.length == 0) {
      return "";
    }
    int from = atStart && tokenizer.leadingSpace() && bytes[0] == ' ' ? 1 : 0;
    atStart &= tokenizer.isControl(token);
    for (int i = from; i < bytes.length; i++) {
      accept(bytes[i] & 0xFF);
    }
    return taken();
  }

  private boolean isShown(int token) {
    return special || (!shown.isEmpty() && shown.contains(token));
  }

  /** The text that was held back, at the end of the text. */
  public String end() {
    if (missing > 0) {
      missing = 0;
      out.appendCodePoint(LenientUtf8.REPLACEMENT);
    }
    return taken();
  }

  private String taken() {
    String text = out.toString();
    out.setLength(0);
    return text;
  }

  private void accept(int b) {
    if (missing > 0 && b >= least && b <= most) {
      least = FIRST_TAIL;
      most = LAST_TAIL;
      point = point << 6 | b & 0x3F;
      if (--missing == 0) {
        out.appendCodePoint(point);
      }
      return;
    }
    if (missing > 0) {
      out.appendCodePoint(LenientUtf8.REPLACEMENT);
    }
    start(b);
  }

  /** The first byte of a character; table 3-7 of the Unicode standard says what may follow. */
  private void start(int b) {
    boolean starts = b >= 0xC2 && b <= 0xF4;
    missing = starts ? LenientUtf8.length((byte) b) - 1 : 0;
    least = b == 0xE0 ? 0xA0 : b == 0xF0 ? 0x90 : FIRST_TAIL;
    most = b == 0xED ? 0x9F : b == 0xF4 ? 0x8F : LAST_TAIL;
    point = b & (0x3F >> missing);
    if (missing == 0) {
      out.appendCodePoint(b < 0x80 ? b : LenientUtf8.REPLACEMENT);
    }
  }
}

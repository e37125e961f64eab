package dev.millrace.engine.internal.constraint;

import dev.millrace.engine.api.ThoughtTags;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The tokens that may come before and inside the thoughts if a constraint holds after them. Made
 * once for a pair of tags, by one pass over the vocabulary, and shared by sequences. Immutable.
 */
final class ThoughtMasks {
  final TextMatcher close;
  private final int openLength;
  private final TokenTexts texts;
  private final long[][] thinking; // (matched bytes of the closing tag) -> mask
  private final int[][] opening; // (bytes of the opening tag so far) -> tokens
  private final int[] whiteSpace; // tokens

  ThoughtMasks(ThoughtTags tags, TokenTexts texts) {
    this.texts = texts;
    close = new TextMatcher(tags.close());
    byte[] open = new TextMatcher(tags.open()).text();
    openLength = open.length;
    int size = texts.vocabulary().size();
    thinking = makeThinking(size);
    opening = makeOpening(size, open);
    whiteSpace = tokens(size, bytes -> TokenTexts.isWhiteSpace(bytes, 0));
  }

  /** Every token, but no end, and none that closes the thoughts with other text behind the tag. */
  private long[][] makeThinking(int size) {
    long[] all = new long[(size + 63) / 64];
    List<Integer> suspects = new ArrayList<>();
    for (int token = 0; token < size; token++) {
      if (!texts.vocabulary().isEnd(token)) {
        all[token >> 6] |= 1L << token;
        if (maySpanTheEnd(texts.of(token))) {
          suspects.add(token);
        }
      }
    }
    long[][] masks = new long[close.text().length][];
    for (int matched = 0; matched < masks.length; matched++) {
      masks[matched] = without(all, suspects, matched);
    }
    return masks;
  }

  /** Whether it has the closing tag's last byte before other text. */
  private boolean maySpanTheEnd(byte[] bytes) {
    byte last = close.text()[close.text().length - 1];
    int at = 0;
    while (at < bytes.length && bytes[at] != last) {
      at++;
    }
    return !TokenTexts.isWhiteSpace(bytes, Math.min(bytes.length, at + 1));
  }

  private long[] without(long[] all, List<Integer> suspects, int matched) {
    long[] mask = all;
    for (int token : suspects) {
      byte[] bytes = texts.of(token);
      int end = close.findEnd(matched, bytes);
      if (end >= 0 && !TokenTexts.isWhiteSpace(bytes, end)) {
        mask = mask == all ? all.clone() : mask;
        mask[token >> 6] &= ~(1L << token);
      }
    }
    return mask;
  }

  /** The token of the tag; if there is none, the tokens that spell it. */
  private int[][] makeOpening(int size, byte[] open) {
    int[][] tokens = new int[open.length][];
    int[] whole = tokens(size, bytes -> Arrays.equals(bytes, open));
    for (int at = 0; at < open.length; at++) {
      byte[] rest = Arrays.copyOfRange(open, at, open.length);
      boolean spelled = whole.length == 0;
      tokens[at] = spelled ? tokens(size, bytes -> begins(bytes, rest)) : new int[0];
    }
    tokens[0] = whole.length == 0 ? tokens[0] : whole;
    return tokens;
  }

  private int[] tokens(int size, Predicate<byte[]> which) {
    return IntStream.range(0, size)
        .filter(token -> texts.of(token).length > 0 && which.test(texts.of(token)))
        .toArray();
  }

  private static boolean begins(byte[] bytes, byte[] text) {
    return bytes.length <= text.length
        && Arrays.equals(bytes, 0, bytes.length, text, 0, bytes.length);
  }

  /** The tokens that may follow inside the thoughts; shared, do not change the array. */
  long[] thinking(int matched) {
    return thinking[matched];
  }

  boolean mayThink(int matched, int token) {
    return (thinking[matched][token >> 6] >>> token & 1) == 1;
  }

  /**
   * The bytes of the opening tag that the output has with this token, after the first ones; -1 if
   * the token does not continue the tag.
   */
  int open(int from, int token) {
    return contains(opening[from], token) ? from + texts.of(token).length : -1;
  }

  boolean isOpen(int count) {
    return count == openLength;
  }

  boolean isWhiteSpace(int token) {
    return contains(whiteSpace, token);
  }

  private static boolean contains(int[] tokens, int token) {
    return Arrays.binarySearch(tokens, token) >= 0;
  }

  /** The mask with the tokens that continue the opening tag; a new array. */
  long[] withOpening(long[] mask, int from) {
    return with(mask, opening[from]);
  }

  /** The mask with the tokens of white space; a new array. */
  long[] withWhiteSpace(long[] mask) {
    return with(mask, whiteSpace);
  }

  private static long[] with(long[] mask, int[] tokens) {
    long[] more = mask.clone();
    for (int token : tokens) {
      more[token >> 6] |= 1L << token;
    }
    return more;
  }

  /** A mask without any token. */
  long[] nothing() {
    return new long[thinking[0].length];
  }
}

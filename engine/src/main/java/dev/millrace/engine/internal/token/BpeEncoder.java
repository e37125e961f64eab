package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.CodePointText;
import dev.millrace.engine.internal.token.pretokenize.IntList;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import dev.millrace.engine.internal.token.pretokenize.PreTokenizer;

/**
 * Byte-pair encoding with a list of merges: the text is cut into words, and in each word the pair
 * that comes first in the list is joined first.
 */
final class BpeEncoder implements TextEncoder {
  private final VocabularyTable tokens;
  private final ByteStringIndex table;
  private final ByteStringIndex merges;
  private final PreTokenizer preTokenizer;

  BpeEncoder(VocabularyTable tokens, String[] merges, PreTokenizer preTokenizer) {
    this.tokens = tokens;
    this.table = tokens.index();
    this.merges = ByteStringIndex.of(merges);
    this.preTokenizer = preTokenizer;
  }

  @Override
  public void encode(byte[] text, int from, int to, boolean first, IntList out) {
    CodePointText points;
    if (preTokenizer.bytes()) {
      points = CodePointText.of(text, from, to);
    } else {
      byte[] shown = VisibleSpace.toVisible(text, from, to, false);
      points = CodePointText.of(shown, 0, shown.length);
    }
    IntList words = preTokenizer.words(points);
    PairMerger merging = new PairMerger(this::priority);
    byte[] word = new byte[256];
    int start = 0;
    for (int i = 0; i < words.size(); i++) {
      int end = words.get(i);
      // a code point has at most 4 bytes, each of which takes at most 2
      if (word.length < (end - start) * 8L) {
        word = new byte[Math.multiplyExact(end - start, 8)];
      }
      int length = write(points, start, end, word);
      encode(word, length, merging, out);
      start = end;
    }
  }

  private int write(CodePointText points, int from, int to, byte[] word) {
    byte[] character = new byte[4];
    int size = 0;
    for (int i = from; i < to; i++) {
      if (!preTokenizer.bytes()) {
        size = LenientUtf8.put(points.point(i), word, size);
        continue;
      }
      int length = LenientUtf8.put(points.point(i), character, 0);
      for (int b = 0; b < length; b++) {
        size = ByteAlphabet.put(character[b], word, size);
      }
    }
    return size;
  }

  private void encode(byte[] word, int length, PairMerger merging, IntList out) {
    if (preTokenizer.wholeWords() || !preTokenizer.bytes() && isNewlines(word, length)) {
      int token = plain(word, 0, length);
      if (token >= 0) {
        out.add(token);
        return;
      }
    }
    merging.begin(word);
    for (int at = 0; at < length; ) {
      int end = Math.min(at + LenientUtf8.length(word[at]), length);
      merging.add(at, end);
      at = end;
    }
    merging.run();
    for (int s = merging.first(); s < merging.end(); s = merging.next(s)) {
      int token = plain(word, merging.from(s), merging.to(s));
      if (token >= 0) {
        out.add(token);
      } else {
        addBytes(word, merging.from(s), merging.to(s), out);
      }
    }
  }

  /** Plain text never becomes a control token: finding those is not the encoder's part. */
  private int plain(byte[] word, int from, int to) {
    int token = table.find(word, from, to);
    return token >= 0 && tokens.hasKind(token, TokenKind.HIDDEN) ? -1 : token;
  }

  /** A run of line ends is a token of its own, though no merge leads to it. */
  private static boolean isNewlines(byte[] word, int length) {
    for (int i = 0; i < length; i++) {
      if (word[i] != '\n') {
        return false;
      }
    }
    return true;
  }

  /**
   * A symbol that is not a token is split into its bytes; a byte that is not a token either is
   * dropped, as in llama.cpp.
   */
  private void addBytes(byte[] word, int from, int to, IntList out) {
    for (int i = from; i < to; i++) {
      int token =
          preTokenizer.bytes()
              ? table.find(word, i, i + 1)
              : table.find(LenientUtf8.bytes("<0x%02X>".formatted(word[i] & 0xFF)));
      if (token >= 0) {
        out.add(token);
      }
    }
  }

  private int priority(byte[] word, int from, int middle, int to) {
    int rank = merges.findPair(word, from, middle, to);
    return rank < 0 ? PairMerger.NEVER : rank;
  }

  @Override
  public byte[] decodePiece(String text) {
    return preTokenizer.bytes() ? ByteAlphabet.bytes(text) : VisibleSpace.fromVisible(text);
  }
}

package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.IntList;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;

/**
 * SentencePiece's byte-pair encoding: neighbours join if together they are a token, the one with
 * the highest score first. A character that is no token becomes one token per byte.
 */
final class SentencePieceEncoder implements TextEncoder {
  private final ByteStringIndex table;
  private final int[] priorities; // of the tokens; a high score is a small number
  private final int[] bytes = new int[256];
  private final boolean leadingSpace;

  /**
   * @param unknown the token for a byte that has none, -1 to leave it out
   * @param leadingSpace whether a text starts with a space that is not in it
   */
  SentencePieceEncoder(VocabularyTable tokens, float[] scores, int unknown, boolean leadingSpace) {
    this.table = tokens.index();
    this.leadingSpace = leadingSpace;
    this.priorities = new int[tokens.size()];
    for (int i = 0; i < priorities.length; i++) {
      // plain text never becomes a control token: finding those is not the encoder's part
      priorities[i] = tokens.hasKind(i, TokenKind.HIDDEN) ? PairMerger.NEVER : ~ordered(scores[i]);
    }
    for (int b = 0; b < bytes.length; b++) {
      int named = tokens.find("<0x%02X>".formatted(b));
      int plain = named < 0 ? table.find(new byte[] {(byte) b}) : named;
      bytes[b] = plain < 0 ? unknown : plain;
    }
  }

  /** Numbers in the order of the floats; both zeros are one. */
  private static int ordered(float score) {
    int bits = Float.floatToIntBits(score + 0.0f);
    return bits ^ (bits >> 31 & 0x7FFF_FFFF);
  }

  @Override
  public void encode(byte[] text, int from, int to, boolean first, IntList tokens) {
    byte[] shown = VisibleSpace.toVisible(text, from, to, first && leadingSpace);
    PairMerger merging = new PairMerger(this::priority);
    merging.begin(shown);
    for (int at = 0; at < shown.length; ) {
      int end = Math.min(at + LenientUtf8.length(shown[at]), shown.length);
      merging.add(at, end);
      at = end;
    }
    merging.run();
    for (int s = merging.first(); s < merging.end(); s = merging.next(s)) {
      int token = table.find(shown, merging.from(s), merging.to(s));
      if (token >= 0) {
        tokens.add(token);
      } else {
        addBytes(shown, merging.from(s), merging.to(s), tokens);
      }
    }
  }

  private void addBytes(byte[] text, int from, int to, IntList tokens) {
    for (int i = from; i < to; i++) {
      int token = bytes[text[i] & 0xFF];
      if (token >= 0) {
        tokens.add(token);
      }
    }
  }

  private int priority(byte[] text, int from, int middle, int to) {
    int token = table.find(text, from, to);
    return token < 0 ? PairMerger.NEVER : priorities[token];
  }

  @Override
  public byte[] decodePiece(String text) {
    return VisibleSpace.fromVisible(text);
  }
}

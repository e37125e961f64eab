package dev.millrace.engine.internal.token;

import dev.millrace.engine.internal.token.pretokenize.CharacterKind;
import dev.millrace.engine.internal.token.pretokenize.CodePointText;
import dev.millrace.engine.internal.token.pretokenize.IntList;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.text.Normalizer;

/**
 * BERT's tokenizer: words in lower case without accents, each cut into the longest tokens from the
 * left. A word with a part that is no token is the unknown token as a whole. In the vocabulary of a
 * GGUF file the token that starts a word starts with a visible space.
 */
final class WordPieceEncoder implements TextEncoder {
  private static final int FIRST_COMPOSED = 0xC0; // nothing before it decomposes

  private final ByteStringIndex table;
  private final int unknown;
  private final boolean lowerCase;
  private final boolean stripAccents;

  WordPieceEncoder(VocabularyTable tokens, int unknown, boolean lowerCase, boolean stripAccents) {
    this.table = tokens.index();
    this.unknown = unknown;
    this.lowerCase = lowerCase;
    this.stripAccents = stripAccents;
  }

  @Override
  public void encode(byte[] text, int from, int to, boolean first, IntList tokens) {
    CodePointText points = CodePointText.of(text, from, to);
    Word word = new Word(points.size());
    for (int i = 0; i < points.size(); i++) {
      int point = stripAccents ? base(points.point(i)) : points.point(i);
      int kind = CharacterKind.of(point);
      if (kind == CharacterKind.SPACE) {
        end(word, tokens);
      } else if (!isDropped(point, kind)) {
        int written = lowerCase ? CharacterKind.lower(point) : point;
        if (standsAlone(point, kind)) {
          end(word, tokens);
          word.add(written);
          end(word, tokens);
        } else {
          word.add(written);
        }
      }
    }
    end(word, tokens);
  }

  /** A growing word after its visible space. */
  private static final class Word {
    private final byte[] bytes;
    private final IntList prefixes = new IntList(); // tokens that the rest of it starts with
    private int size;

    /** Reserves room for the whole text, each character at its longest. */
    Word(int points) {
      bytes = new byte[Math.addExact(3, Math.multiplyExact(points, 4))];
      clear();
    }

    void clear() {
      size = LenientUtf8.put('\u2581', bytes, 0);
    }

    void add(int point) {
      size = LenientUtf8.put(point, bytes, size);
    }
  }

  /** The character that carries the accents, which canonical decomposition puts first. */
  private static int base(int point) {
    if (point < FIRST_COMPOSED || CharacterKind.of(point) == CharacterKind.UNASSIGNED) {
      return point;
    }
    return Normalizer.normalize(Character.toString(point), Normalizer.Form.NFD).codePointAt(0);
  }

  private boolean isDropped(int point, int kind) {
    return point == 0
        || point == LenientUtf8.REPLACEMENT
        || kind == CharacterKind.OTHER
        || stripAccents && kind == CharacterKind.MARK;
  }

  private static boolean standsAlone(int point, int kind) {
    return kind == CharacterKind.PUNCTUATION
        || kind == CharacterKind.SYMBOL && point < 0x7F
        || isIdeograph(point);
  }

  /**
   * The blocks that BERT counts as Chinese; 2B920 should be 2B820, but all vocabularies have it.
   */
  private static boolean isIdeograph(int point) {
    return point >= 0x4E00 && point <= 0x9FFF
        || point >= 0x3400 && point <= 0x4DBF
        || point >= 0x20000 && point <= 0x2A6DF
        || point >= 0x2A700 && point <= 0x2B81F
        || point >= 0x2B920 && point <= 0x2CEAF
        || point >= 0xF900 && point <= 0xFAFF
        || point >= 0x2F800 && point <= 0x2FA1F;
  }

  private void end(Word word, IntList tokens) {
    if (word.size > 3) {
      int before = tokens.size();
      for (int at = 0; at < word.size; ) {
        word.prefixes.truncate(0);
        table.findPrefixes(word.bytes, at, word.size, word.prefixes);
        if (word.prefixes.size() == 0) {
          tokens.truncate(before);
          break;
        }
        int token = word.prefixes.get(word.prefixes.size() - 1);
        tokens.add(token);
        at += table.length(token);
      }
      if (tokens.size() == before && unknown >= 0) {
        tokens.add(unknown);
      }
    }
    word.clear();
  }

  @Override
  public byte[] decodePiece(String text) {
    return VisibleSpace.fromVisible(text);
  }
}

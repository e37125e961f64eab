package dev.millrace.engine.internal.token.pretokenize;

import java.util.List;

/**
 * How a byte-level tokenizer cuts a text into words before it merges, with related settings.
 *
 * @param splits applied one after the other, each to the pieces of the one before
 * @param bytes whether words are written in the alphabet of bytes; if not, they are UTF-8 with a
 *     visible space, as in SentencePiece
 * @param wholeWords whether a word that is a token is that token, whatever the merges would make
 * @param addBos whether a text starts with BOS where the file does not say
 */
public record PreTokenizer(
    List<TextSplitter> splits, boolean bytes, boolean wholeWords, boolean addBos) {

  PreTokenizer(String... expressions) {
    this(List.of(expressions).stream().map(TextSplitter::by).toList(), true, false, false);
  }

  PreTokenizer(TextSplitter... splits) {
    this(List.of(splits), true, false, false);
  }

  PreTokenizer withWholeWords() {
    return new PreTokenizer(splits, bytes, true, addBos);
  }

  PreTokenizer withBos() {
    return new PreTokenizer(splits, bytes, wholeWords, true);
  }

  PreTokenizer withUtf8Words() {
    return new PreTokenizer(splits, false, wholeWords, addBos);
  }

  /** The ends of the words of a text. */
  public IntList words(CodePointText text) {
    IntList ends = new IntList();
    if (text.size() > 0) {
      ends.add(text.size());
    }
    for (TextSplitter split : splits) {
      IntList finer = new IntList();
      int from = 0;
      for (int i = 0; i < ends.size(); i++) {
        split.split(text, from, ends.get(i), finer);
        from = ends.get(i);
      }
      ends = finer;
    }
    return ends;
  }
}

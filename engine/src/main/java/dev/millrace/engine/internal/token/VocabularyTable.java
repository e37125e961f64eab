package dev.millrace.engine.internal.token;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.token.pretokenize.LenientUtf8;
import java.util.Arrays;
import java.util.Optional;

/** The tokens of a file: their texts and their kinds. */
public final class VocabularyTable {
  private static final String TEXTS = "tokenizer.ggml.tokens";
  private static final String TYPES = "tokenizer.ggml.token_type";
  private static final String SCORES = "tokenizer.ggml.scores";

  private final String[] texts;
  private final byte[] kinds;
  private final ByteStringIndex table;

  private VocabularyTable(String[] texts, byte[] kinds) {
    this.texts = texts;
    this.kinds = kinds;
    this.table = ByteStringIndex.of(texts);
  }

  static VocabularyTable of(GgufMetadata metadata) {
    String[] given =
        metadata
            .findStrings(TEXTS)
            .orElseThrow(
                () -> new EngineException("no vocabulary: the key " + TEXTS + " is missing"));
    String[] texts = given.clone();
    for (int i = 0; i < texts.length; i++) {
      if (texts[i].isEmpty()) {
        texts[i] = "[EMPTY_" + i + "]"; // as llama.cpp names it: no text has it by accident
      }
    }
    byte[] kinds = new byte[texts.length];
    Arrays.fill(kinds, (byte) TokenKind.NORMAL);
    Optional<int[]> types = metadata.findIntegers(TYPES);
    if (types.isPresent()) {
      checkLength(TYPES, types.get().length, texts.length);
      for (int i = 0; i < kinds.length; i++) {
        kinds[i] = (byte) TokenKind.of(types.get()[i]);
      }
    }
    return new VocabularyTable(texts, kinds);
  }

  /** The score of each token; all 0 if the file has none. */
  float[] scores(GgufMetadata metadata) {
    float[] scores = metadata.findNumbers(SCORES).orElseGet(() -> new float[texts.length]);
    checkLength(SCORES, scores.length, texts.length);
    return scores;
  }

  private static void checkLength(String key, int length, int tokens) {
    if (length < tokens) {
      throw new EngineException(
          "the key " + key + " has " + length + " values for " + tokens + " tokens");
    }
  }

  public int size() {
    return texts.length;
  }

  public String text(int token) {
    return texts[token];
  }

  /** The token with this text; -1 if there is none. */
  public int find(String text) {
    return table.find(LenientUtf8.bytes(text));
  }

  /** All texts, by their bytes. */
  ByteStringIndex index() {
    return table;
  }

  /** Whether the token is of one of the kinds. */
  public boolean hasKind(int token, int anyOf) {
    return (kinds[token] & anyOf) != 0;
  }

  void addKind(int token, int kind) {
    kinds[token] |= (byte) kind;
  }

  void setKind(int token, int kind) {
    kinds[token] = (byte) kind;
  }
}

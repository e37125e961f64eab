package dev.millrace.engine.oracle;

import dev.millrace.engine.internal.gguf.GgufWriter;
import java.util.List;

/** Vocabularies of made-up words, as small or large as a model needs. */
final class RandomVocabulary {
  /** The first ids of SentencePiece: unknown, BOS, EOS, then the bytes. */
  private static final int SPECIAL = 3;

  private RandomVocabulary() {}

  /**
   * SentencePiece: every text can be written, in bytes if need be.
   *
   * @param last the texts of the last tokens
   */
  static void sentencePieces(GgufWriter writer, int size, List<String> last) {
    String[] tokens = new String[size];
    int[] types = new int[size];
    float[] scores = new float[size];
    for (int i = 0; i < size; i++) {
      int word = i - SPECIAL - 256;
      tokens[i] = word < 0 ? special(i) : (word % 2 == 0 ? "\u2581" : "") + word(word / 2);
      types[i] = i == 0 ? 2 : i < SPECIAL ? 3 : word < 0 ? 6 : 1;
      scores[i] = word < 0 ? 0 : -word;
    }
    for (int i = 0; i < last.size(); i++) {
      int id = size - last.size() + i;
      tokens[id] = last.get(i);
      types[id] = 4; // defined by the user: found in every text, and shown
    }
    writer.put("tokenizer.ggml.model", "llama");
    writer.put("tokenizer.ggml.tokens", tokens);
    writer.put("tokenizer.ggml.scores", scores);
    writer.put("tokenizer.ggml.token_type", types);
    writer.put("tokenizer.ggml.unknown_token_id", 0);
    writer.put("tokenizer.ggml.bos_token_id", 1);
    writer.put("tokenizer.ggml.eos_token_id", 2);
  }

  private static String special(int id) {
    return switch (id) {
      case 0 -> "<unk>";
      case 1 -> "<s>";
      case 2 -> "</s>";
      default -> "<0x%02X>".formatted(id - SPECIAL);
    };
  }

  /**
   * WordPieceEncoder, with the marks that llama.cpp's conversion leaves: words begin with U+2581,
   * pieces inside words with nothing.
   */
  static void wordPieces(GgufWriter writer, int size) {
    String[] first = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};
    String[] tokens = new String[size];
    int[] types = new int[size];
    for (int i = 0; i < size; i++) {
      int word = i - first.length;
      tokens[i] = word < 0 ? first[i] : (word % 2 == 0 ? "\u2581" : "") + word(word / 2);
      types[i] = word < 0 ? 3 : 1;
    }
    writer.put("tokenizer.ggml.model", "bert");
    writer.put("tokenizer.ggml.token_type_count", 2);
    writer.put("tokenizer.ggml.tokens", tokens);
    writer.put("tokenizer.ggml.token_type", types);
    writer.put("tokenizer.ggml.padding_token_id", 0);
    writer.put("tokenizer.ggml.unknown_token_id", 1);
    writer.put("tokenizer.ggml.cls_token_id", 2);
    writer.put("tokenizer.ggml.seperator_token_id", 3);
    writer.put("tokenizer.ggml.mask_token_id", 4);
  }

  /** A, b, …, z, aa, ab, …: distinct for each number. */
  private static String word(int number) {
    StringBuilder word = new StringBuilder();
    for (int n = number + 1; n > 0; n = (n - 1) / 26) {
      word.append((char) ('a' + (n - 1) % 26));
    }
    return word.reverse().toString();
  }
}

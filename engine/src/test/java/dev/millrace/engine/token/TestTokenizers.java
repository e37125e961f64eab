package dev.millrace.engine.token;

import dev.millrace.engine.TestData;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.token.ByteAlphabet;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Tokenizers for tests: small ones made by hand, and real ones if their data is available. */
public final class TestTokenizers {
  private TestTokenizers() {}

  /** A byte-level tokenizer: the 256 bytes, what the merges lead to, and some control tokens. */
  public static Map<String, Object> byteLevel(String pre, List<String> merges, String... control) {
    List<String> texts = new ArrayList<>();
    for (int b = 0; b < 256; b++) {
      byte[] character = new byte[2];
      int length = ByteAlphabet.put((byte) b, character, 0);
      texts.add(new String(character, 0, length, java.nio.charset.StandardCharsets.UTF_8));
    }
    merges.forEach(merge -> texts.add(merge.replace(" ", "")));
    int plain = texts.size();
    texts.addAll(List.of(control));
    Map<String, Object> values = values("gpt2", texts, plain);
    values.put("tokenizer.ggml.pre", pre);
    values.put("tokenizer.ggml.merges", merges.toArray(new String[0]));
    return values;
  }

  /** A SentencePiece tokenizer: unknown, BOS, EOS, the 256 bytes, then words by falling score. */
  public static Map<String, Object> spm(String... words) {
    List<String> texts = new ArrayList<>(List.of("<unk>", "<s>", "</s>"));
    for (int b = 0; b < 256; b++) {
      texts.add("<0x%02X>".formatted(b));
    }
    texts.addAll(List.of(words));
    Map<String, Object> values = values("llama", texts, texts.size());
    long[] types = (long[]) values.get("tokenizer.ggml.token_type");
    double[] scores = new double[texts.size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = i == 0 ? 2 : i < 3 ? 3 : i < 259 ? 6 : 1;
      scores[i] = -i;
    }
    values.put("tokenizer.ggml.scores", scores);
    return values;
  }

  /** A WordPieceEncoder tokenizer; the ids of the control tokens are 0 to 4. */
  static Map<String, Object> wordPiece(String... words) {
    List<String> texts = new ArrayList<>(List.of("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"));
    texts.addAll(List.of(words));
    Map<String, Object> values = values("bert", texts, texts.size());
    long[] types = (long[]) values.get("tokenizer.ggml.token_type");
    java.util.Arrays.fill(types, 0, 5, 3);
    values.put("tokenizer.ggml.padding_token_id", 0L);
    values.put("tokenizer.ggml.unknown_token_id", 1L);
    values.put("tokenizer.ggml.bos_token_id", 2L);
    values.put("tokenizer.ggml.seperator_token_id", 3L);
    return values;
  }

  private static Map<String, Object> values(String model, List<String> texts, int firstControl) {
    long[] types = new long[texts.size()];
    for (int i = 0; i < types.length; i++) {
      types[i] = i < firstControl ? 1 : 3;
    }
    Map<String, Object> values = new HashMap<>();
    values.put("tokenizer.ggml.model", model);
    values.put("tokenizer.ggml.tokens", texts.toArray(new String[0]));
    values.put("tokenizer.ggml.token_type", types);
    return values;
  }

  public static Tokenizer tokenizer(Map<String, Object> values) {
    return Tokenizer.of(new GgufMetadata(values));
  }

  /** The metadata of a real vocabulary; aborts the test if it does not exist. */
  public static Map<String, Object> real(String name) {
    try (Gguf gguf = Gguf.open(TestData.find("vocab/ggml-vocab-" + name + ".gguf"))) {
      return new HashMap<>(gguf.metadata().all());
    }
  }

  public static byte[] utf8(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }
}

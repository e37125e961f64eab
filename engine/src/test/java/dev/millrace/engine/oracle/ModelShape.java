package dev.millrace.engine.oracle;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The shape of a random model.
 *
 * @param inner the width of the feed-forward network, or of each expert
 * @param tied whether the head is the embedding
 * @param stretched whether the rotation has factors: tensors {@code rope_freqs}, or the long and
 *     short ones of Phi 3
 * @param more further metadata: String, Integer, Float or Boolean by key, without the
 *     architecture's name
 */
public record ModelShape(
    String architecture,
    int layers,
    int width,
    int heads,
    int kvHeads,
    int headLength,
    int inner,
    int vocabulary,
    int context,
    boolean tied,
    boolean stretched,
    Map<String, Object> more) {

  /** How many experts a model of experts has. */
  static final int EXPERTS = 8;

  /**
   * A small model of an architecture, with all that distinguishes it in effect within some tens of
   * tokens.
   */
  public static ModelShape small(String architecture) {
    ModelShape plain =
        new ModelShape(architecture, 2, 256, 4, 2, 64, 512, 320, 256, false, false, Map.of());
    return switch (architecture) {
      case "llama", "qwen2", "qwen3" -> plain;
      case "qwen3moe" -> plain.with("expert_count", EXPERTS).with("expert_used_count", 2);
      // llama.cpp of March 2025 takes only the 26 layers of the 2B model or those of larger ones
      case "gemma2" ->
          plain
              .narrow(26)
              .with("attn_logit_softcapping", 2f)
              .with("final_logit_softcapping", 2f)
              .with("attention.sliding_window", 8);
      case "gemma3" ->
          plain.narrow(7).with("rope.freq_base", 1e6f).with("attention.sliding_window", 8);
      // llama.cpp wants the window to be stated, but does not keep to it
      case "phi3" -> plain.with("attention.sliding_window", 2047);
      case "gpt2", "bert", "nomic-bert" -> plain.kvHeads(4);
      default -> throw new IllegalArgumentException(architecture);
    };
  }

  /** Llama 3.2 1B. */
  public static ModelShape llama1b() {
    return new ModelShape(
        "llama",
        16,
        2048,
        32,
        8,
        64,
        8192,
        128256,
        131072,
        true,
        true,
        Map.of("rope.freq_base", 500000f));
  }

  /** SmolLM2 135M. */
  public static ModelShape smol135m() {
    return new ModelShape(
        "llama",
        30,
        576,
        9,
        3,
        64,
        1536,
        49152,
        8192,
        true,
        false,
        Map.of("rope.freq_base", 100000f));
  }

  /** The same with one more key of metadata. */
  public ModelShape with(String key, Object value) {
    Map<String, Object> all = new LinkedHashMap<>(more);
    all.put(key, value);
    return new ModelShape(
        architecture,
        layers,
        width,
        heads,
        kvHeads,
        headLength,
        inner,
        vocabulary,
        context,
        tied,
        stretched,
        all);
  }

  /** The same with another number of layers. */
  public ModelShape layers(int count) {
    return new ModelShape(
        architecture,
        count,
        width,
        heads,
        kvHeads,
        headLength,
        inner,
        vocabulary,
        context,
        tied,
        stretched,
        more);
  }

  /** The same with factors in its rotation. */
  public ModelShape withStretchedRotation() {
    return new ModelShape(
        architecture,
        layers,
        width,
        heads,
        kvHeads,
        headLength,
        inner,
        vocabulary,
        context,
        tied,
        true,
        more);
  }

  /** The same with a head of its own, or without. */
  public ModelShape tied(boolean isTied) {
    return new ModelShape(
        architecture,
        layers,
        width,
        heads,
        kvHeads,
        headLength,
        inner,
        vocabulary,
        context,
        isTied,
        stretched,
        more);
  }

  private ModelShape kvHeads(int count) {
    return new ModelShape(
        architecture,
        layers,
        width,
        heads,
        count,
        headLength,
        inner,
        vocabulary,
        context,
        tied,
        stretched,
        more);
  }

  /**
   * Many layers, each small; the heads together are wider than the hidden state, as Gemma has them.
   */
  private ModelShape narrow(int count) {
    return new ModelShape(
        architecture, count, 64, 4, 2, 32, 128, vocabulary, context, true, stretched, more);
  }

  boolean isEncoder() {
    return architecture.endsWith("bert");
  }

  boolean hasLayerNorms() {
    return isEncoder() || architecture.equals("gpt2");
  }

  boolean isGemma() {
    return architecture.startsWith("gemma");
  }
}

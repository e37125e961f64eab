package dev.millrace.engine.oracle;

import dev.millrace.engine.gguf.GgufMetadata;
import java.util.Set;

/**
 * The hyperparameters in a model's metadata: llama.cpp's keys ({@code src/llama-arch.cpp}) and its
 * defaults.
 */
final class Hyperparameters {
  private final GgufMetadata metadata;
  final String architecture;

  Hyperparameters(GgufMetadata metadata) {
    this.metadata = metadata;
    this.architecture = metadata.string("general.architecture");
  }

  int integer(String key) {
    return metadata.integer(architecture + "." + key);
  }

  int integer(String key, int fallback) {
    return metadata.integer(architecture + "." + key, fallback);
  }

  double number(String key, double fallback) {
    return metadata
        .find(architecture + "." + key)
        .map(v -> ((Number) v).doubleValue())
        .orElse(fallback);
  }

  String text(String key, String fallback) {
    return metadata.string(architecture + "." + key, fallback);
  }

  private boolean is(String... names) {
    return Set.of(names).contains(architecture);
  }

  int layers() {
    return integer("block_count");
  }

  int width() {
    return integer("embedding_length");
  }

  int heads() {
    return integer("attention.head_count");
  }

  int kvHeads() {
    return integer("attention.head_count_kv", heads());
  }

  int headLength() {
    return integer("attention.key_length", width() / heads());
  }

  int contextLength() {
    return integer("context_length");
  }

  boolean isEncoder() {
    return is("bert", "nomic-bert");
  }

  boolean isGemma() {
    return is("gemma2", "gemma3");
  }

  /** Norms that also subtract the mean, and have biases. */
  boolean hasLayerNorms() {
    return is("gpt2", "bert", "nomic-bert");
  }

  double epsilon() {
    return hasLayerNorms()
        ? number("attention.layer_norm_epsilon", Double.NaN)
        : number("attention.layer_norm_rms_epsilon", Double.NaN);
  }

  boolean usesGelu() {
    return is("gpt2", "bert") || isGemma();
  }

  boolean rotates() {
    return !is("gpt2", "bert");
  }

  /**
   * Whether neighbours rotate together, as the conversion of Llama's weights has it; else halves of
   * a head do.
   */
  boolean rotatesNeighbours() {
    return is("llama");
  }

  /**
   * The factor on scores. The 27B models of Gemma, which only their layers tell, divide by the
   * width per head.
   */
  double attentionScale() {
    boolean is27b = is("gemma2") && layers() == 46 || is("gemma3") && layers() == 62;
    return 1 / Math.sqrt(is27b ? (double) width() / heads() : headLength());
  }

  double attentionSoftcap() {
    return number("attn_logit_softcapping", is("gemma2") ? 50 : 0);
  }

  double logitSoftcap() {
    return number("final_logit_softcapping", is("gemma2") ? 30 : 0);
  }

  /** How many positions a row of the layer sees, itself included. */
  int window(int layer) {
    int window = integer("attention.sliding_window", is("gemma2") ? 4096 : 0);
    return window > 0 && isWindowed(layer) ? window : Integer.MAX_VALUE;
  }

  /** In Gemma 2 every second layer sees everything, in Gemma 3 every sixth; in others none does. */
  boolean isWindowed(int layer) {
    if (isGemma()) {
      int period = is("gemma2") ? 2 : 6;
      return layer % period < period - 1;
    }
    return true;
  }

  /** Gemma 3 rotates its windowed layers as Gemma 2 did, whatever the other ones do. */
  boolean hasPlainRotation(int layer) {
    return is("gemma3") && isWindowed(layer);
  }
}

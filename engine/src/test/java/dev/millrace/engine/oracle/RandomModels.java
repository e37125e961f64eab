package dev.millrace.engine.oracle;

import dev.millrace.engine.internal.gguf.GgufWriter;
import dev.millrace.engine.internal.gguf.TensorType;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes models with random weights of sensible size: states keep their order of magnitude through
 * the layers, attention is neither even nor on one position only, logits differ. The same shape,
 * recipe and seed give the same file.
 */
public final class RandomModels {
  private final ModelShape shape;
  private final QuantizationRecipe recipe;
  private final long seed;
  private final GgufWriter writer = new GgufWriter();
  private int count;

  private RandomModels(ModelShape shape, QuantizationRecipe recipe, long seed) {
    this.shape = shape;
    this.recipe = recipe;
    this.seed = seed;
  }

  /** Writes a model of one type whose last tokens have these texts. */
  public static Path write(
      Path file, ModelShape shape, TensorType type, long seed, List<String> lastTokens)
      throws IOException {
    return write(file, shape, QuantizationRecipe.all(type), seed, lastTokens);
  }

  /** Writes a model of one type. */
  public static Path write(Path file, ModelShape shape, TensorType type, long seed)
      throws IOException {
    return write(file, shape, QuantizationRecipe.all(type), seed);
  }

  /** Writes a model and returns its file. */
  public static Path write(Path file, ModelShape shape, QuantizationRecipe recipe, long seed)
      throws IOException {
    return write(file, shape, recipe, seed, List.of());
  }

  private static Path write(
      Path file, ModelShape shape, QuantizationRecipe recipe, long seed, List<String> lastTokens)
      throws IOException {
    RandomModels model = new RandomModels(shape, recipe, seed);
    model.metadata();
    if (shape.isEncoder()) {
      RandomVocabulary.wordPieces(model.writer, shape.vocabulary());
    } else {
      RandomVocabulary.sentencePieces(model.writer, shape.vocabulary(), lastTokens);
    }
    model.ends();
    for (int layer = 0; layer < shape.layers(); layer++) {
      model.norms(layer);
      model.attention(layer);
      model.feedForward(layer);
    }
    model.writer.write(file);
    return file;
  }

  private void metadata() {
    writer.put("general.architecture", shape.architecture());
    // llama.cpp expects certain tokens where the name has the architecture in it
    writer.put("general.name", "random weights");
    put("block_count", shape.layers());
    put("context_length", shape.context());
    put("embedding_length", shape.width());
    put("feed_forward_length", shape.inner());
    put("vocab_size", shape.vocabulary());
    put("attention.head_count", shape.heads());
    put("attention.head_count_kv", shape.kvHeads());
    put("attention.key_length", shape.headLength());
    put("attention.value_length", shape.headLength());
    String norm = shape.hasLayerNorms() ? "layer_norm_epsilon" : "layer_norm_rms_epsilon";
    put("attention." + norm, 1e-5f);
    if (rotates()) {
      put("rope.dimension_count", shape.headLength());
    }
    if (shape.isEncoder()) {
      put("attention.causal", false);
      put("pooling_type", 1);
    }
    if (hasExperts()) {
      put("expert_feed_forward_length", shape.inner());
    }
    shape.more().forEach(this::put);
  }

  private void put(String key, Object value) {
    String name = shape.architecture() + "." + key;
    switch (value) {
      case Integer i -> writer.put(name, i.intValue());
      case Float f -> writer.put(name, f.floatValue());
      case Boolean b -> writer.put(name, b.booleanValue());
      case String s -> writer.put(name, s);
      default -> throw new IllegalArgumentException(key + ": " + value);
    }
  }

  private boolean rotates() {
    return !shape.hasLayerNorms() || shape.architecture().equals("nomic-bert");
  }

  private boolean hasExperts() {
    return shape.more().containsKey("expert_count");
  }

  private void ends() {
    int width = shape.width();
    // a tied head should give logits of about the same size as one of its own
    double deviation = shape.tied() ? 2 / Math.sqrt(width) : 1;
    matrix("token_embd.weight", -1, deviation, width, shape.vocabulary());
    if (!rotates()) {
      vector("position_embd.weight", 0, 0.5 * deviation, width, shape.context());
    }
    if (shape.isEncoder()) {
      vector("token_types.weight", 0, 0.5, width, 2);
      norm("token_embd_norm");
      return;
    }
    norm("output_norm");
    if (!shape.tied()) {
      matrix("output.weight", -1, 2 / Math.sqrt(width), width, shape.vocabulary());
    }
    if (shape.stretched() && shape.architecture().equals("phi3")) {
      vector("rope_factors_long.weight", 4, 1, shape.headLength() / 2);
      vector("rope_factors_short.weight", 1.2f, 0.05, shape.headLength() / 2);
    } else if (shape.stretched()) {
      vector("rope_freqs.weight", 3, 0.5, shape.headLength() / 2);
    }
  }

  private void norms(int layer) {
    String prefix = "blk." + layer + ".";
    if (shape.isEncoder()) {
      norm(prefix + "attn_output_norm");
      norm(prefix + "layer_output_norm");
      return;
    }
    norm(prefix + "attn_norm");
    norm(prefix + "ffn_norm");
    if (shape.isGemma()) {
      norm(prefix + "post_attention_norm");
      norm(prefix + "post_ffw_norm");
    }
  }

  private void norm(String name) {
    vector(name + ".weight", 1, 0.1, shape.width());
    if (shape.hasLayerNorms()) {
      vector(name + ".bias", 0, 0.1, shape.width());
    }
  }

  private void attention(int layer) {
    int q = shape.heads() * shape.headLength();
    int kv = shape.kvHeads() * shape.headLength();
    boolean biased =
        switch (shape.architecture()) {
          case "qwen2", "gpt2", "bert" -> true;
          default -> false;
        };
    switch (shape.architecture()) {
      case "phi3", "gpt2", "nomic-bert" ->
          linear(layer, "attn_qkv", shape.width(), q + 2 * kv, biased);
      default -> {
        linear(layer, "attn_q", shape.width(), q, biased);
        linear(layer, "attn_k", shape.width(), kv, biased);
        linear(layer, "attn_v", shape.width(), kv, biased);
      }
    }
    linear(layer, "attn_output", q, shape.width(), biased && shape.hasLayerNorms());
    if (shape.architecture().startsWith("qwen3") || shape.architecture().equals("gemma3")) {
      vector("blk." + layer + ".attn_q_norm.weight", 1.2f, 0.2, shape.headLength());
      vector("blk." + layer + ".attn_k_norm.weight", 1.2f, 0.2, shape.headLength());
    }
  }

  private void feedForward(int layer) {
    int width = shape.width();
    int inner = shape.inner();
    String prefix = "blk." + layer + ".";
    if (hasExperts()) {
      vector(prefix + "ffn_gate_inp.weight", 0, 3 / Math.sqrt(width), width, ModelShape.EXPERTS);
      double deviation = 1 / Math.sqrt(width);
      matrix(prefix + "ffn_gate_exps.weight", layer, deviation, width, inner, ModelShape.EXPERTS);
      matrix(prefix + "ffn_up_exps.weight", layer, deviation, width, inner, ModelShape.EXPERTS);
      matrix(
          prefix + "ffn_down_exps.weight",
          layer,
          1 / Math.sqrt(inner),
          inner,
          width,
          ModelShape.EXPERTS);
      return;
    }
    boolean biased = shape.architecture().equals("gpt2") || shape.architecture().equals("bert");
    boolean fused = shape.architecture().equals("phi3");
    if (!biased && !fused) {
      linear(layer, "ffn_gate", width, inner, false);
    }
    linear(layer, "ffn_up", width, fused ? 2 * inner : inner, biased);
    linear(layer, "ffn_down", inner, width, biased);
  }

  private void linear(int layer, String name, int columns, int rows, boolean biased) {
    matrix("blk." + layer + "." + name + ".weight", layer, 1 / Math.sqrt(columns), columns, rows);
    if (biased) {
      vector("blk." + layer + "." + name + ".bias", 0, 0.1, rows);
    }
  }

  private void matrix(String name, int layer, double deviation, long... extents) {
    TensorType type = recipe.of(name, layer, (int) extents[0]);
    writer.tensor(name, type, extents, RandomBlocks.of(type, deviation, nextSeed()));
  }

  private void vector(String name, float mean, double deviation, long... extents) {
    writer.tensor(name, TensorType.F32, extents, RandomBlocks.around(mean, deviation, nextSeed()));
  }

  /** Far apart, because the generators count on from them. */
  private long nextSeed() {
    return (seed << 20) + ++count << 36;
  }
}

package dev.millrace.engine.internal.model;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ArchitectureTrait;
import dev.millrace.engine.internal.config.AttentionConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.kernel.Dequantizer;
import dev.millrace.engine.internal.kernel.MatrixLoader;
import dev.millrace.engine.internal.layer.LayerWeights;
import dev.millrace.engine.internal.layer.Linear;
import dev.millrace.engine.internal.layer.Norm;
import dev.millrace.engine.internal.layer.RopeFactors;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Loads a model's tensors by their names; {@link ModelConfig#of} has checked that they exist and
 * fit.
 */
final class WeightLoader {

  /** Makes a matrix of the rows [firstRow, firstRow + rows) of a tensor. */
  @FunctionalInterface
  interface MatrixSource {
    Matrix load(Gguf gguf, TensorInfo tensor, int firstRow, int rows);
  }

  private final Gguf gguf;
  private final ModelConfig config;
  private final Arithmetic arithmetic;
  private final MatrixSource source;

  WeightLoader(Gguf gguf, ModelConfig config, Arithmetic arithmetic, MatrixSource source) {
    this.gguf = gguf;
    this.config = config;
    this.arithmetic = arithmetic;
    this.source = source;
  }

  /** Matrices in the layout of their kernels. */
  static WeightLoader packed(
      Gguf gguf, ModelConfig config, KernelType kernels, ComputePool pool, Arena arena) {
    MatrixSource source =
        (file, tensor, firstRow, rows) ->
            MatrixLoader.load(kernels, file, tensor, firstRow, rows, pool, arena);
    return new WeightLoader(gguf, config, Arithmetic.of(kernels), source);
  }

  boolean has(String name) {
    return gguf.tensor(name).isPresent();
  }

  Matrix matrix(String name) {
    TensorInfo tensor = tensor(name);
    return source.load(gguf, tensor, 0, tensor.rows());
  }

  /** A vector, or the first row of a matrix. */
  float[] vector(String name) {
    TensorInfo tensor = tensor(name);
    float[] numbers = new float[tensor.columns()];
    byte[] bytes = new byte[Math.toIntExact(tensor.type().rowBytes(numbers.length))];
    gguf.read(tensor, 0, MemorySegment.ofArray(bytes));
    Dequantizer.row(tensor.type(), MemorySegment.ofArray(bytes), 0, numbers.length, numbers, 0);
    return numbers;
  }

  float @Nullable [] vectorOrNull(String name) {
    return has(name) ? vector(name) : null;
  }

  Norm norm(String name) {
    boolean layerNorm = config.has(ArchitectureTrait.LAYER_NORM);
    return new Norm(
        arithmetic,
        layerNorm,
        vector(name + ".weight"),
        vectorOrNull(name + ".bias"),
        config.normEpsilon());
  }

  /** All sets: the context of a segment decides which one it uses. */
  RopeFactors ropeFactors() {
    if (has("rope_factors_long.weight")) {
      return new RopeFactors(
          vector("rope_factors_short.weight"),
          vector("rope_factors_long.weight"),
          config.rope().originalContext());
    }
    float[] only = vectorOrNull("rope_freqs.weight");
    return new RopeFactors(only, only, 0);
  }

  LayerWeights layer(int layer) {
    String prefix = "blk." + layer + ".";
    return new LayerWeights(
        aroundAttention(prefix),
        attention(prefix),
        aroundFeedForward(prefix),
        config.feedForward().experts() > 0 ? experts(prefix) : dense(prefix));
  }

  private LayerWeights.BlockNorms aroundAttention(String prefix) {
    if (config.has(ArchitectureTrait.ENCODER)) {
      return new LayerWeights.BlockNorms(null, null, norm(prefix + "attn_output_norm"));
    }
    return new LayerWeights.BlockNorms(
        norm(prefix + "attn_norm"), sandwich(prefix + "post_attention_norm"), null);
  }

  private LayerWeights.BlockNorms aroundFeedForward(String prefix) {
    if (config.has(ArchitectureTrait.ENCODER)) {
      return new LayerWeights.BlockNorms(null, null, norm(prefix + "layer_output_norm"));
    }
    return new LayerWeights.BlockNorms(
        norm(prefix + "ffn_norm"), sandwich(prefix + "post_ffw_norm"), null);
  }

  private @Nullable Norm sandwich(String name) {
    return config.has(ArchitectureTrait.SANDWICH_NORMS) ? norm(name) : null;
  }

  private LayerWeights.AttentionWeights attention(String prefix) {
    AttentionConfig shape = config.attention();
    boolean fused = has(prefix + "attn_qkv.weight");
    String q = prefix + (fused ? "attn_qkv" : "attn_q");
    String k = prefix + (fused ? "attn_qkv" : "attn_k");
    String v = prefix + (fused ? "attn_qkv" : "attn_v");
    int firstKey = fused ? shape.queryWidth() : 0;
    int firstValue = fused ? firstKey + shape.keyWidth() : 0;
    return new LayerWeights.AttentionWeights(
        linear(q, 0, shape.queryWidth()),
        linear(k, firstKey, shape.keyWidth()),
        linear(v, firstValue, shape.valueWidth()),
        headNorm(prefix + "attn_q_norm.weight"),
        headNorm(prefix + "attn_k_norm.weight"),
        linear(prefix + "attn_output", 0, config.width()));
  }

  private @Nullable Norm headNorm(String name) {
    return config.has(ArchitectureTrait.HEAD_NORMS)
        ? new Norm(arithmetic, false, vector(name), null, config.normEpsilon())
        : null;
  }

  private LayerWeights.Dense dense(String prefix) {
    int inner = config.feedForward().width();
    boolean gated = config.has(ArchitectureTrait.GATED);
    boolean fused = gated && !has(prefix + "ffn_gate.weight");
    String up = prefix + "ffn_up";
    Linear gate = gated ? linear(fused ? up : prefix + "ffn_gate", 0, inner) : null;
    return new LayerWeights.Dense(
        gate, linear(up, fused ? inner : 0, inner), linear(prefix + "ffn_down", 0, config.width()));
  }

  private LayerWeights.Experts experts(String prefix) {
    int inner = config.feedForward().width();
    return new LayerWeights.Experts(
        matrix(prefix + "ffn_gate_inp.weight"),
        perExpert(prefix + "ffn_gate_exps.weight", inner),
        perExpert(prefix + "ffn_up_exps.weight", inner),
        perExpert(prefix + "ffn_down_exps.weight", config.width()));
  }

  private Matrix[] perExpert(String name, int rows) {
    TensorInfo tensor = tensor(name);
    Matrix[] matrices = new Matrix[config.feedForward().experts()];
    for (int expert = 0; expert < matrices.length; expert++) {
      matrices[expert] = source.load(gguf, tensor, expert * rows, rows);
    }
    return matrices;
  }

  /** Some rows of a projection, with their part of its bias. */
  private Linear linear(String name, int firstRow, int rows) {
    float[] bias = vectorOrNull(name + ".bias");
    float[] part = bias == null ? null : Arrays.copyOfRange(bias, firstRow, firstRow + rows);
    return new Linear(source.load(gguf, tensor(name + ".weight"), firstRow, rows), part);
  }

  private TensorInfo tensor(String name) {
    return gguf.tensor(name)
        .orElseThrow(() -> new IllegalStateException("the file has no tensor " + name));
  }
}

package dev.millrace.engine.internal.config;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.kernel.Dequantizer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The tensors of a model with a given configuration, and their shapes; {@link #check} compares a
 * file with them. An unknown tensor is rejected too: a model that is computed without one of its
 * parts gives wrong answers silently.
 */
final class ExpectedTensors {
  /**
   * Tensors that have no effect here: precomputed tables, the vision part of a model, the heads of
   * rankers.
   */
  private static final Pattern UNUSED =
      Pattern.compile(
          "(v|mm|a|cls)\\..*|blk\\.\\d+\\.(attn_rot_embd|attn\\.masked_bias|attn\\.rotary_emb\\.inv_freq).*");

  private final ModelConfig config;
  private final Gguf gguf;
  private final Map<String, TensorInfo> unseen = new HashMap<>();

  ExpectedTensors(ModelConfig config, Gguf gguf) {
    this.config = config;
    this.gguf = gguf;
    for (TensorInfo tensor : gguf.tensors()) {
      unseen.put(tensor.name(), tensor);
    }
  }

  /** Whether a tensor of a checked file has an effect. */
  static boolean isUsed(String name) {
    return !UNUSED.matcher(name).matches();
  }

  void check() {
    ends();
    rotation();
    for (int layer = 0; layer < config.layers(); layer++) {
      String prefix = "blk." + layer + ".";
      norms(prefix);
      attention(prefix);
      if (config.feedForward().experts() > 0) {
        experts(prefix);
      } else {
        feedForward(prefix);
      }
    }
    unseen.keySet().stream()
        .filter(ExpectedTensors::isUsed)
        .sorted()
        .findFirst()
        .ifPresent(
            name ->
                refuse(
                    name,
                    "is no part of a model of architecture '"
                        + config.architecture().key()
                        + "' that is known here"));
  }

  private void ends() {
    int width = config.width();
    required("token_embd.weight", width, config.vocabulary());
    if (config.has(ArchitectureTrait.LEARNED_POSITIONS)) {
      required("position_embd.weight", width, config.contextLength());
    }
    if (config.has(ArchitectureTrait.ENCODER)) {
      gguf.tensor("token_types.weight")
          .ifPresent(types -> required(types.name(), width, types.length() / types.columns()));
      norm("token_embd_norm");
    } else {
      norm("output_norm");
      optional("output.weight", width, config.vocabulary());
    }
  }

  private void rotation() {
    int pairs = config.rope().dimensions() / 2;
    boolean twoSets =
        has("rope_factors_long.weight")
            || has("rope_factors_short.weight"); // Phi 3's files do not name their scaling
    if (twoSets || config.rope().scaling() == RopeConfig.Scaling.LONGROPE) {
      required("rope_factors_long.weight", pairs);
      required("rope_factors_short.weight", pairs);
    } else if (pairs > 0) {
      optional("rope_freqs.weight", pairs);
    }
  }

  private void norms(String prefix) {
    if (config.has(ArchitectureTrait.ENCODER)) {
      norm(prefix + "attn_output_norm");
      norm(prefix + "layer_output_norm");
      return;
    }
    norm(prefix + "attn_norm");
    norm(prefix + "ffn_norm");
    if (config.has(ArchitectureTrait.SANDWICH_NORMS)) {
      norm(prefix + "post_attention_norm");
      norm(prefix + "post_ffw_norm");
    }
  }

  private void norm(String name) {
    required(name + ".weight", config.width());
    if (config.has(ArchitectureTrait.LAYER_NORM)) {
      required(name + ".bias", config.width());
    }
  }

  private void attention(String prefix) {
    AttentionConfig attention = config.attention();
    boolean biased = config.has(ArchitectureTrait.QKV_BIASES);
    if (has(prefix + "attn_qkv.weight")) {
      projection(
          prefix + "attn_qkv",
          attention.queryWidth() + attention.keyWidth() + attention.valueWidth(),
          biased);
    } else {
      projection(prefix + "attn_q", attention.queryWidth(), biased);
      projection(prefix + "attn_k", attention.keyWidth(), biased);
      projection(prefix + "attn_v", attention.valueWidth(), biased);
    }
    required(prefix + "attn_output.weight", attention.attendedWidth(), config.width());
    bias(prefix + "attn_output", config.width(), config.has(ArchitectureTrait.BIASES));
    if (config.has(ArchitectureTrait.HEAD_NORMS)) {
      required(prefix + "attn_q_norm.weight", attention.keyLength());
      required(prefix + "attn_k_norm.weight", attention.keyLength());
    }
  }

  private void feedForward(String prefix) {
    int inner = config.feedForward().width();
    boolean biased = config.has(ArchitectureTrait.BIASES);
    boolean gated = config.has(ArchitectureTrait.GATED);
    boolean fused = gated && !has(prefix + "ffn_gate.weight");
    if (gated && !fused) {
      projection(prefix + "ffn_gate", inner, biased);
    }
    projection(prefix + "ffn_up", fused ? 2 * inner : inner, biased);
    required(prefix + "ffn_down.weight", inner, config.width());
    bias(prefix + "ffn_down", config.width(), biased);
  }

  private void experts(String prefix) {
    FeedForwardConfig network = config.feedForward();
    int width = config.width();
    required(prefix + "ffn_gate_inp.weight", width, network.experts());
    required(prefix + "ffn_gate_exps.weight", width, network.width(), network.experts());
    required(prefix + "ffn_up_exps.weight", width, network.width(), network.experts());
    required(prefix + "ffn_down_exps.weight", network.width(), width, network.experts());
  }

  private void projection(String name, int rows, boolean biased) {
    required(name + ".weight", config.width(), rows);
    bias(name, rows, biased);
  }

  private void bias(String name, int length, boolean required) {
    if (required) {
      required(name + ".bias", length);
    } else {
      optional(name + ".bias", length);
    }
  }

  private boolean has(String name) {
    return gguf.tensor(name).isPresent();
  }

  private void optional(String name, long... shape) {
    if (has(name)) {
      required(name, shape);
    }
  }

  private void required(String name, long... shape) {
    unseen.remove(name);
    TensorInfo tensor = gguf.tensor(name).orElse(null);
    if (tensor == null) {
      throw refuse(name, "is missing, expected shape " + text(shape));
    }
    if (!sameShape(tensor.shape(), shape)) {
      throw refuse(name, "has shape " + text(tensor.shape()) + ", expected " + text(shape));
    }
    if (!Dequantizer.supports(tensor.type())) {
      throw refuse(
          name, "has type " + tensor.type() + ", which is not supported; these are: " + types());
    }
  }

  /** Writers may omit trailing extents of 1, or add them. */
  private static boolean sameShape(long[] found, long[] expected) {
    for (int i = 0; i < Math.max(found.length, expected.length); i++) {
      long a = i < found.length ? found[i] : 1;
      long b = i < expected.length ? expected[i] : 1;
      if (a != b) {
        return false;
      }
    }
    return true;
  }

  private EngineException refuse(String tensor, String why) {
    throw new EngineException("%s: tensor '%s' %s".formatted(gguf.file(), tensor, why));
  }

  private static String text(long[] shape) {
    return Arrays.stream(shape)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private static String types() {
    return Arrays.stream(TensorType.values())
        .filter(Dequantizer::supports)
        .map(Enum::name)
        .collect(Collectors.joining(", "));
  }
}

package dev.millrace.engine.internal.config;

import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.math.Rope;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Reads a {@link ModelConfig} from metadata. Keys, defaults and exceptions are those of llama.cpp.
 */
final class ConfigReader {
  private static final int MAX_LAYERS = 4096;
  private static final int MAX_HEADS = 1 << 16;
  private static final int MAX_WIDTH = 1 << 24;
  private static final int MAX_VOCABULARY = 1 << 24;
  private static final int MAX_CONTEXT = 1 << 28;

  /** Features that some models need and that are not supported. */
  private static final Map<String, String> REFUSED =
      Map.ofEntries(
          Map.entry("attention.clamp_kqv", "clamped queries, keys and values"),
          Map.entry("attention.max_alibi_bias", "ALiBi positions"),
          Map.entry("attention.kv_lora_rank", "latent attention"),
          Map.entry("attention.temperature_length", "attention with a temperature"),
          Map.entry("attention.shared_kv_layers", "layers that share keys and values"),
          Map.entry("embedding_scale", "a scaled embedding"),
          Map.entry("residual_scale", "scaled residuals"),
          Map.entry("logit_scale", "scaled logits"),
          Map.entry("expert_shared_count", "shared experts"),
          Map.entry("expert_group_count", "groups of experts"),
          Map.entry("leading_dense_block_count", "dense layers before layers with experts"),
          Map.entry("moe_every_n_layers", "experts in some layers only"),
          Map.entry("nextn_predict_layers", "layers that predict further tokens"),
          Map.entry("rope.scaling.yarn_log_multiplier", "a YaRN magnitude of its own"));

  private final Gguf gguf;
  private final GgufMetadata metadata;
  private final Architecture architecture;
  private final ArchitectureMetadata keys;

  ConfigReader(Gguf gguf) {
    this.gguf = gguf;
    this.metadata = OllamaCompatibility.complete(gguf);
    this.architecture = architecture();
    this.keys = new ArchitectureMetadata(gguf.file(), metadata, architecture);
  }

  private Architecture architecture() {
    Object name = metadata.find("general.architecture").orElse("(none)");
    return Architecture.of(name.toString())
        .orElseThrow(
            () ->
                new EngineException(
                    "%s: architecture '%s' is not supported; these are: %s"
                        .formatted(gguf.file(), name, Architecture.names())));
  }

  ModelConfig read() {
    refuseWhatIsNotComputed();
    int layers = keys.size("block_count", MAX_LAYERS);
    int width = keys.size("embedding_length", MAX_WIDTH);
    int contextLength = keys.size("context_length", MAX_CONTEXT);
    AttentionConfig attention = attention(layers, width);
    return new ModelConfig(
        architecture,
        metadata
            .find("general.name")
            .map(Object::toString)
            .orElse(gguf.file().getFileName().toString()),
        layers,
        width,
        vocabulary(),
        contextLength,
        normEpsilon(),
        softcap("final_logit_softcapping", 30),
        pooling(),
        attention,
        rope(attention, contextLength),
        feedForward());
  }

  private void refuseWhatIsNotComputed() {
    for (String key : metadata.all().keySet()) {
      if (key.startsWith(architecture.key() + ".ssm.")) {
        throw keys.refused(key.substring(architecture.key().length() + 1), "state space layers");
      }
    }
    REFUSED.forEach(keys::refuse);
    boolean causal = keys.flag("attention.causal").orElse(!architecture.isEncoder());
    if (causal == architecture.isEncoder()) {
      throw keys.refused(
          "attention.causal", causal ? "a causal encoder" : "attention in both directions");
    }
    int gating = keys.size("expert_gating_func", 100, 0).orElse(0);
    if (gating > 1) { // 0: the architecture's own, 1: softmax
      throw keys.refused("expert_gating_func", "a gating function other than softmax (1)");
    }
  }

  private AttentionConfig attention(int layers, int width) {
    int heads = keys.size("attention.head_count", MAX_HEADS);
    int kvHeads = keys.size("attention.head_count_kv", MAX_HEADS, 1).orElse(heads);
    if (heads % kvHeads != 0) {
      throw keys.wrong(
          "attention.head_count_kv", kvHeads, "a divisor of the number of heads, " + heads);
    }
    int keyLength = keys.size("attention.key_length", MAX_WIDTH, 1).orElse(width / heads);
    int valueLength = keys.size("attention.value_length", MAX_WIDTH, 1).orElse(width / heads);
    long widest = (long) heads * Math.max(keyLength, valueLength);
    if (keyLength == 0 || valueLength == 0 || widest > MAX_WIDTH) {
      throw keys.wrong(
          "attention.head_count",
          heads,
          "heads of at least 1 and together at most " + MAX_WIDTH + " numbers");
    }
    int window = window();
    return new AttentionConfig(
        heads,
        kvHeads,
        keyLength,
        valueLength,
        scale(layers, width / heads, keyLength),
        softcap("attn_logit_softcapping", 50),
        window,
        windowed(layers, window));
  }

  /**
   * One over the root of a head's length. The 27B models of Gemma use the width per head instead;
   * only their number of layers shows it.
   */
  private float scale(int layers, int widthPerHead, int keyLength) {
    boolean gemma27 =
        architecture == Architecture.GEMMA2 && layers == 46
            || architecture == Architecture.GEMMA3 && layers == 62;
    float usual = 1f / (float) Math.sqrt(gemma27 ? widthPerHead : keyLength);
    return keys.real("attention.scale").filter(scale -> scale != 0).orElse(usual);
  }

  /** Gemma 2 always has softcaps, whether its file says so or not. */
  private float softcap(String key, float gemma2) {
    float cap = keys.real(key).orElse(architecture == Architecture.GEMMA2 ? gemma2 : 0f);
    if (cap < 0) {
      throw keys.wrong(key, cap, "a positive number, or 0 for none");
    }
    return cap;
  }

  private int window() {
    if (architecture.isEncoder()) {
      keys.refuse("attention.sliding_window", "a window in an encoder");
      return 0;
    }
    return keys.size("attention.sliding_window", Integer.MAX_VALUE, 0)
        .orElse(architecture == Architecture.GEMMA2 ? 4096 : 0);
  }

  /**
   * The last of every {@code period} layers sees everything; period 1: all layers have the window.
   */
  private boolean[] windowed(int layers, int window) {
    boolean[] windowed = new boolean[layers];
    if (window == 0) {
      return windowed;
    }
    Object pattern = keys.find("attention.sliding_window_pattern").orElse(defaultPeriod());
    if (pattern instanceof boolean[] each && each.length == layers) {
      return each.clone();
    }
    if (!(pattern instanceof Long period && period >= 1)) {
      throw keys.wrong(
          "attention.sliding_window_pattern",
          pattern,
          "a number of layers, or true or false for each layer");
    }
    for (int layer = 0; layer < layers; layer++) {
      windowed[layer] = period == 1 || layer % period < period - 1;
    }
    return windowed;
  }

  private long defaultPeriod() {
    return switch (architecture) {
      case GEMMA2 -> 2;
      case GEMMA3 -> 6;
      default -> 1;
    };
  }

  private RopeConfig rope(AttentionConfig attention, int contextLength) {
    boolean rotates =
        architecture.has(ArchitectureTrait.ROTATED_PAIRS)
            || architecture.has(ArchitectureTrait.ROTATED_HALVES);
    int dimensions =
        rotates ? keys.size("rope.dimension_count", MAX_WIDTH, 1).orElse(attention.keyLength()) : 0;
    if (dimensions > attention.keyLength() || dimensions % 2 != 0) {
      throw keys.wrong(
          "rope.dimension_count",
          dimensions,
          "an even number up to the length of a head, " + attention.keyLength());
    }
    RopeConfig.Scaling scaling = scaling();
    float base = positive("rope.freq_base", 10000);
    float factor =
        keys.real("rope.scaling.factor").isPresent()
            ? positive("rope.scaling.factor", 1)
            : positive("rope.scale_linear", 1);
    float scale = scaling == RopeConfig.Scaling.NONE ? 1 : 1 / factor;
    int originalContext =
        keys.size("rope.scaling.original_context_length", MAX_CONTEXT, 0)
            .filter(n -> n > 0)
            .orElse(contextLength);
    boolean gemma3 = architecture == Architecture.GEMMA3; // its windowed layers are not stretched
    return new RopeConfig(
        architecture.has(ArchitectureTrait.ROTATED_PAIRS) ? Rope.Pairing.NORM : Rope.Pairing.NEOX,
        dimensions,
        base,
        positive("rope.freq_base_swa", gemma3 ? 10000 : base),
        scale,
        gemma3 ? 1 : scale,
        scaling,
        scaling == RopeConfig.Scaling.YARN ? yarn(originalContext) : null,
        originalContext,
        positive("rope.scaling.attn_factor", 1) * positive("rope.scaling.yarn_attn_factor", 1));
  }

  private RopeConfig.Scaling scaling() {
    String name = keys.text("rope.scaling.type").orElse("linear");
    return Arrays.stream(RopeConfig.Scaling.values())
        .filter(scaling -> scaling.name().toLowerCase(Locale.ROOT).equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                keys.refused(
                    "rope.scaling.type",
                    "the scaling '" + name + "' (none, linear, yarn and longrope are known)"));
  }

  private Rope.Yarn yarn(int originalContext) {
    return new Rope.Yarn(
        keys.real("rope.scaling.yarn_ext_factor").orElse(1f),
        positive("rope.scaling.yarn_beta_fast", 32),
        positive("rope.scaling.yarn_beta_slow", 1),
        originalContext);
  }

  private float positive(String key, float absent) {
    float value = keys.real(key).orElse(0f);
    if (value < 0) {
      throw keys.wrong(key, value, "a positive number");
    }
    return value == 0 ? absent : value;
  }

  private FeedForwardConfig feedForward() {
    int width = keys.size("feed_forward_length", MAX_WIDTH, 0).orElse(0);
    int experts = keys.size("expert_count", MAX_HEADS, 0).orElse(0);
    if (experts == 0) {
      if (architecture.has(ArchitectureTrait.EXPERTS)) {
        throw keys.wrong("expert_count", null, "a number from 1 on");
      }
      return new FeedForwardConfig(keys.size("feed_forward_length", MAX_WIDTH), 0, 0, false, 1);
    }
    if (architecture != Architecture.LLAMA && !architecture.has(ArchitectureTrait.EXPERTS)) {
      throw keys.refused("expert_count", "experts");
    }
    int used = keys.size("expert_used_count", experts);
    int expertWidth =
        keys.size("expert_feed_forward_length", MAX_WIDTH, 0)
            .filter(n -> n > 0)
            .orElse(expertWidth(width, used));
    return new FeedForwardConfig(
        expertWidth,
        experts,
        used,
        keys.flag("expert_weights_norm").orElse(true),
        positive("expert_weights_scale", 1));
  }

  /**
   * If the width of an expert is not given, Mixtral's width is that of one expert, and others' that
   * of all experts in use.
   */
  private int expertWidth(int width, int used) {
    return architecture == Architecture.LLAMA ? width : width / used;
  }

  private float normEpsilon() {
    String key =
        architecture.has(ArchitectureTrait.LAYER_NORM)
            ? "attention.layer_norm_epsilon"
            : "attention.layer_norm_rms_epsilon";
    return keys.real(key)
        .filter(e -> e >= 0)
        .orElseThrow(() -> keys.wrong(key, keys.find(key).orElse(null), "a small positive number"));
  }

  private Optional<Pooling> pooling() {
    int type = keys.size("pooling_type", 100, 0).orElse(0);
    return switch (type) {
      case 0 -> Optional.empty();
      case 1 -> Optional.of(Pooling.MEAN);
      case 2 -> Optional.of(Pooling.CLS);
      case 3 -> Optional.of(Pooling.LAST);
      case 4 -> throw keys.refused("pooling_type", "ranking (4)");
      default -> throw keys.wrong("pooling_type", type, "0 (none), 1 (mean), 2 (cls) or 3 (last)");
    };
  }

  private int vocabulary() {
    TensorInfo embedding =
        gguf.tensor("token_embd.weight")
            .orElseThrow(
                () ->
                    new EngineException(
                        "%s: tensor 'token_embd.weight' is missing".formatted(gguf.file())));
    long rows = embedding.length() / embedding.columns();
    if (rows > MAX_VOCABULARY) {
      throw new EngineException(
          "%s: tensor 'token_embd.weight' has %d rows, at most %d are supported"
              .formatted(gguf.file(), rows, MAX_VOCABULARY));
    }
    if (metadata.find("tokenizer.ggml.tokens").orElse(null) instanceof String[] tokens
        && tokens.length < rows) {
      throw new EngineException(
          "%s: tensor 'token_embd.weight' has %d rows, but 'tokenizer.ggml.tokens' has only %d tokens"
              .formatted(gguf.file(), rows, tokens.length));
    }
    return (int) rows;
  }
}

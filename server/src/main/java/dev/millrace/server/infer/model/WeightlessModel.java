package dev.millrace.server.infer.model;

import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.grammar.ConstraintCompiler;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.server.infer.parameters.SamplingParameters;
import org.jspecify.annotations.Nullable;

/**
 * A model without its weights: its tokenizer, its chat template and its limits. They are in the
 * header of its file, so that prompts can be made, counted and checked while it is not loaded.
 * Thread-safe.
 */
public final class WeightlessModel {
  private final ModelDescription description;
  private final Tokenizer tokenizer;
  private final ModelNumerics numerics;
  private final PromptEncoder prompts;
  private final SamplingParameters defaults;
  private final ConstraintCache constraints;
  private @Nullable ConstraintCompiler compiler; // guarded by this

  /**
   * @param operatorDefaults the settings of the operator for all models
   */
  WeightlessModel(
      ModelDescription description,
      GgufMetadata metadata,
      Tokenizer tokenizer,
      ModelNumerics numerics,
      OperatorDefaults operatorDefaults) {
    this.description = description;
    this.tokenizer = tokenizer;
    this.numerics = numerics;
    String template = operatorDefaults.chatTemplate();
    this.prompts =
        (template == null
                ? new PromptEncoder(metadata, tokenizer)
                : new PromptEncoder(template, tokenizer))
            .with(operatorDefaults.specialTokens());
    this.defaults =
        operatorDefaults
            .sampling()
            .orElse(SamplingParameters.fromMetadata(metadata))
            .orElse(SamplingParameters.forModelFamily(description.name()))
            .orElse(SamplingParameters.builtIn());
    this.constraints = new ConstraintCache((grammar, shown) -> compiler().compile(grammar, shown));
  }

  /** Reads the header of the model's file. */
  static WeightlessModel read(ModelDescription description, OperatorDefaults operatorDefaults) {
    try (Gguf gguf = Gguf.open(description.file())) {
      return new WeightlessModel(
          description,
          gguf.metadata(),
          Tokenizer.of(gguf.metadata()),
          new ModelNumerics(SupportedNumerics.CURRENT, WeightFormats.of(gguf)),
          operatorDefaults);
    }
  }

  /** Made when it is needed: it takes time and memory. */
  private synchronized ConstraintCompiler compiler() {
    if (compiler == null) {
      compiler = new ConstraintCompiler(tokenizer);
    }
    return compiler;
  }

  public String name() {
    return description.name();
  }

  public Tokenizer tokenizer() {
    return tokenizer;
  }

  /** The versions of the arithmetic that it can be computed with. */
  public ModelNumerics numerics() {
    return numerics;
  }

  public PromptEncoder prompts() {
    return prompts;
  }

  /** The parameters of tasks that do not set them; only the seed may be null. */
  public SamplingParameters defaults() {
    return defaults;
  }

  public ConstraintCache constraints() {
    return constraints;
  }

  /** The most positions of one sequence. */
  public int capacity() {
    return description.capacity();
  }

  /** The number type of the KV cache. */
  public String kvType() {
    return description.settings().kvType().name();
  }

  /** The bytes of a token in a text, also of a control token. */
  public byte[] tokenBytes(int token) {
    return tokenizer.shownBytes(token);
  }
}

package dev.millrace.server.infer.parameters;

import dev.millrace.engine.gguf.GgufMetadata;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a model chooses tokens, and how many. A null field is not set; the first source that sets it
 * decides: the task, the operator of the server, the model file, the model family, {@link
 * #builtIn}.
 *
 * @param repeatLastN how many of the last tokens the repeat penalty looks at; -1: all
 * @param seed may stay null: each task then gets its own
 * @param thinking whether a model that can reason before it answers does so
 */
public record SamplingParameters(
    @Nullable Integer maxTokens,
    @Nullable Double temperature,
    @Nullable Integer topK,
    @Nullable Double topP,
    @Nullable Double minP,
    @Nullable Double repeatPenalty,
    @Nullable Integer repeatLastN,
    @Nullable Long seed,
    @Nullable Boolean thinking) {

  private static final SamplingParameters UNSET = builder().build();

  /** Sets nothing. */
  public static SamplingParameters unset() {
    return UNSET;
  }

  /** The last source: nrvna's constants. Only the seed is null. */
  public static SamplingParameters builtIn() {
    return builder()
        .maxTokens(2048)
        .temperature(0.8)
        .topK(40)
        .topP(0.9)
        .minP(0.05)
        .repeatPenalty(1.1)
        .repeatLastN(64)
        .thinking(true)
        .build();
  }

  /**
   * What a model file recommends, in the keys that llama.cpp's converter writes ({@code
   * general.sampling.*}).
   */
  public static SamplingParameters fromMetadata(GgufMetadata metadata) {
    return builder()
        .temperature(decimal(metadata, "temp"))
        .topK(integer(metadata, "top_k", 0))
        .topP(decimal(metadata, "top_p"))
        .minP(decimal(metadata, "min_p"))
        .repeatPenalty(decimal(metadata, "penalty_repeat"))
        .repeatLastN(integer(metadata, "penalty_last_n", -1))
        .build();
  }

  /** The decimal that was meant: a float's 0.95 is not a double's 0.949999988079071. */
  private static @Nullable Double decimal(GgufMetadata metadata, String key) {
    return metadata
        .findNumber("general.sampling." + key)
        .map(number -> Double.valueOf(number.toString()))
        .orElse(null);
  }

  private static @Nullable Integer integer(GgufMetadata metadata, String key, int least) {
    return metadata
        .findNumber("general.sampling." + key)
        .map(number -> Math.max(least, Math.round(number)))
        .orElse(null);
  }

  /**
   * What nrvna recommends for model families, recognized by the model's name; its folders, such as
   * a publisher's, say nothing about the family.
   */
  public static SamplingParameters forModelFamily(String name) {
    String lower = name.substring(name.lastIndexOf('/') + 1).toLowerCase(Locale.ROOT);
    if (lower.contains("code")) { // coder, too
      return builder().temperature(0.3).build();
    }
    return lower.contains("deepseek") || lower.contains("r1")
        ? builder().temperature(0.6).build()
        : UNSET;
  }

  /** These parameters, completed by {@code next} where they are not set. */
  public SamplingParameters orElse(SamplingParameters next) {
    return new SamplingParameters(
        either(maxTokens, next.maxTokens),
        either(temperature, next.temperature),
        either(topK, next.topK),
        either(topP, next.topP),
        either(minP, next.minP),
        either(repeatPenalty, next.repeatPenalty),
        either(repeatLastN, next.repeatLastN),
        either(seed, next.seed),
        either(thinking, next.thinking));
  }

  private static <T> @Nullable T either(@Nullable T first, @Nullable T second) {
    return first == null ? second : first;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** A builder that starts with these parameters. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.maxTokens = maxTokens;
    builder.temperature = temperature;
    builder.topK = topK;
    builder.topP = topP;
    builder.minP = minP;
    builder.repeatPenalty = repeatPenalty;
    builder.repeatLastN = repeatLastN;
    builder.seed = seed;
    builder.thinking = thinking;
    return builder;
  }

  /** Collects parameters; all are null until they are set. */
  public static final class Builder {
    private @Nullable Integer maxTokens;
    private @Nullable Double temperature;
    private @Nullable Integer topK;
    private @Nullable Double topP;
    private @Nullable Double minP;
    private @Nullable Double repeatPenalty;
    private @Nullable Integer repeatLastN;
    private @Nullable Long seed;
    private @Nullable Boolean thinking;

    private Builder() {}

    public Builder maxTokens(@Nullable Integer value) {
      maxTokens = value;
      return this;
    }

    public Builder temperature(@Nullable Double value) {
      temperature = value;
      return this;
    }

    public Builder topK(@Nullable Integer value) {
      topK = value;
      return this;
    }

    public Builder topP(@Nullable Double value) {
      topP = value;
      return this;
    }

    public Builder minP(@Nullable Double value) {
      minP = value;
      return this;
    }

    public Builder repeatPenalty(@Nullable Double value) {
      repeatPenalty = value;
      return this;
    }

    public Builder repeatLastN(@Nullable Integer value) {
      repeatLastN = value;
      return this;
    }

    public Builder seed(@Nullable Long value) {
      seed = value;
      return this;
    }

    public Builder thinking(@Nullable Boolean value) {
      thinking = value;
      return this;
    }

    public SamplingParameters build() {
      return new SamplingParameters(
          maxTokens, temperature, topK, topP, minP, repeatPenalty, repeatLastN, seed, thinking);
    }
  }
}

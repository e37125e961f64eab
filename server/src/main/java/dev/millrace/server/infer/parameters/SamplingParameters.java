package dev.millrace.server.infer.parameters;

import dev.millrace.engine.gguf.GgufMetadata;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What a job gets that does not say. Null is silence: then the next in line decides, and the line is
 * the job itself, whoever runs the server, the model's file, the model's family, and {@link
 * #usual}.
 *
 * @param seed null to the end: each task gets one of its own
 * @param thinking whether a model that can think before it answers does
 * @param chatTemplate in Jinja, instead of the one in the model's file
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
    @Nullable Boolean thinking,
    @Nullable String chatTemplate) {

  private static final SamplingParameters UNSET =
      new SamplingParameters(null, null, null, null, null, null, null, null, null, null);

  /** Says nothing. */
  public static SamplingParameters unset() {
    return UNSET;
  }

  /** The last word: nrvna's constants. */
  public static SamplingParameters builtIn() {
    return new SamplingParameters(2048, 0.8, 40, 0.9, 0.05, 1.1, 64, null, true, null);
  }

  /**
   * What a model's file recommends, in the keys that llama.cpp's converter writes ({@code
   * general.sampling.*}).
   */
  public static SamplingParameters fromMetadata(GgufMetadata metadata) {
    return UNSET
        .withTemperature(decimal(metadata, "temp"))
        .withTopK(integer(metadata, "top_k", 0))
        .withTopP(decimal(metadata, "top_p"))
        .withMinP(decimal(metadata, "min_p"))
        .withRepeatPenalty(decimal(metadata, "penalty_repeat"))
        .withRepeatLastN(integer(metadata, "penalty_last_n", -1));
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

  /** What nrvna knows of families, by the model's name. */
  public static SamplingParameters forModelFamily(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    if (lower.contains("code")) { // coder, too
      return UNSET.withTemperature(0.3);
    }
    return lower.contains("deepseek") || lower.contains("r1") ? UNSET.withTemperature(0.6) : UNSET;
  }

  /** These, and what {@code next} says where they are silent. */
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
        either(thinking, next.thinking),
        either(chatTemplate, next.chatTemplate));
  }

  private static <T> @Nullable T either(@Nullable T first, @Nullable T second) {
    return first == null ? second : first;
  }

  public SamplingParameters withMaxTokens(@Nullable Integer value) {
    return new SamplingParameters(
        value,
        temperature,
        topK,
        topP,
        minP,
        repeatPenalty,
        repeatLastN,
        seed,
        thinking,
        chatTemplate);
  }

  public SamplingParameters withTemperature(@Nullable Double value) {
    return new SamplingParameters(
        maxTokens,
        value,
        topK,
        topP,
        minP,
        repeatPenalty,
        repeatLastN,
        seed,
        thinking,
        chatTemplate);
  }

  public SamplingParameters withTopK(@Nullable Integer value) {
    return new SamplingParameters(
        maxTokens,
        temperature,
        value,
        topP,
        minP,
        repeatPenalty,
        repeatLastN,
        seed,
        thinking,
        chatTemplate);
  }

  public SamplingParameters withTopP(@Nullable Double value) {
    return new SamplingParameters(
        maxTokens,
        temperature,
        topK,
        value,
        minP,
        repeatPenalty,
        repeatLastN,
        seed,
        thinking,
        chatTemplate);
  }

  public SamplingParameters withMinP(@Nullable Double value) {
    return new SamplingParameters(
        maxTokens,
        temperature,
        topK,
        topP,
        value,
        repeatPenalty,
        repeatLastN,
        seed,
        thinking,
        chatTemplate);
  }

  public SamplingParameters withRepeatPenalty(@Nullable Double value) {
    return new SamplingParameters(
        maxTokens, temperature, topK, topP, minP, value, repeatLastN, seed, thinking, chatTemplate);
  }

  public SamplingParameters withRepeatLastN(@Nullable Integer value) {
    return new SamplingParameters(
        maxTokens,
        temperature,
        topK,
        topP,
        minP,
        repeatPenalty,
        value,
        seed,
        thinking,
        chatTemplate);
  }

  public SamplingParameters withSeed(@Nullable Long value) {
    return new SamplingParameters(
        maxTokens,
        temperature,
        topK,
        topP,
        minP,
        repeatPenalty,
        repeatLastN,
        value,
        thinking,
        chatTemplate);
  }

  public SamplingParameters withThinking(@Nullable Boolean value) {
    return new SamplingParameters(
        maxTokens,
        temperature,
        topK,
        topP,
        minP,
        repeatPenalty,
        repeatLastN,
        seed,
        value,
        chatTemplate);
  }

  public SamplingParameters withChatTemplate(@Nullable String value) {
    return new SamplingParameters(
        maxTokens,
        temperature,
        topK,
        topP,
        minP,
        repeatPenalty,
        repeatLastN,
        seed,
        thinking,
        value);
  }
}

package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.Sampling;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * With what a task is really run: what it said, and for the rest what was the default when it began.
 *
 * @param settled every field is set but the chat template
 */
public record EffectiveParameters(
    SamplingParameters samplingParameters,
    double presencePenalty,
    double frequencyPenalty,
    Map<Integer, Float> logitBias,
    List<String> stops,
    boolean ignoreEos,
    @Nullable OutputConstraint constraint) {

  /** What is left open by all is decided by {@code seed}. */
  public static EffectiveParameters of(
      GenerateParameters asked, SamplingParameters defaults, long seed) {
    SamplingParameters settled = asked.samplingWithImplied().orElse(defaults);
    return new EffectiveParameters(
        settled.seed() == null ? settled.withSeed(seed) : settled,
        asked.presencePenalty(),
        asked.frequencyPenalty(),
        asked.logitBias(),
        asked.stops(),
        asked.ignoreEos(),
        asked.constraint());
  }

  /**
   * As an earlier attempt wrote it down.
   *
   * @param rule the task's, which is written down by its hash only
   * @throws RuntimeException if it is something else
   */
  public static EffectiveParameters parse(JsonObject json, @Nullable OutputConstraint rule) {
    Map<Integer, Float> bias = new TreeMap<>();
    json.object("logit_bias")
        .values()
        .forEach((token, value) -> bias.put(Integer.valueOf(token), floats(value)));
    SamplingParameters settled =
        new SamplingParameters(
            Math.toIntExact(json.integer("max_tokens")),
            json.number("temperature", 0),
            Math.toIntExact(json.integer("top_k")),
            json.number("top_p", 1),
            json.number("min_p", 0),
            json.number("repeat_penalty", 1),
            Math.toIntExact(json.integer("repeat_last_n")),
            json.integer("seed"),
            json.flag("thinking", true),
            null);
    return new EffectiveParameters(
        settled,
        json.number("presence_penalty", 0),
        json.number("frequency_penalty", 0),
        bias,
        json.list("stop").stream().map(String::valueOf).toList(),
        json.flag("ignore_eos", false),
        rule);
  }

  private static float floats(@Nullable Object value) {
    return ((Number) Objects.requireNonNull(value)).floatValue();
  }

  public JsonObject toJson() {
    JsonObject json =
        JsonObject.create()
            .put("max_tokens", (long) maxTokens())
            .put("temperature", samplingParameters.temperature())
            .put("top_k", Objects.requireNonNull(samplingParameters.topK()).longValue())
            .put("top_p", samplingParameters.topP())
            .put("min_p", samplingParameters.minP())
            .put("repeat_penalty", samplingParameters.repeatPenalty())
            .put(
                "repeat_last_n",
                Objects.requireNonNull(samplingParameters.repeatLastN()).longValue())
            .put("seed", seed())
            .put("thinking", thinking());
    putUnless(json, "presence_penalty", presencePenalty, presencePenalty == 0);
    putUnless(json, "frequency_penalty", frequencyPenalty, frequencyPenalty == 0);
    putUnless(json, "logit_bias", biasJson(), logitBias.isEmpty());
    putUnless(json, "stop", stops, stops.isEmpty());
    putUnless(json, "ignore_eos", true, !ignoreEos);
    return json.putIfPresent(
        "constraint", constraint == null ? null : constraint.toJson().values());
  }

  private Map<String, Object> biasJson() {
    Map<String, Object> json = new TreeMap<>();
    logitBias.forEach((token, bias) -> json.put(token.toString(), bias.doubleValue()));
    return json;
  }

  private static void putUnless(JsonObject json, String name, Object value, boolean usual) {
    if (!usual) {
      json.put(name, value);
    }
  }

  /** The same with no more tokens than there is room for. */
  public EffectiveParameters cappedTo(int room) {
    return new EffectiveParameters(
        samplingParameters.withMaxTokens(Math.min(room, maxTokens())),
        presencePenalty,
        frequencyPenalty,
        logitBias,
        stops,
        ignoreEos,
        constraint);
  }

  public int maxTokens() {
    return Objects.requireNonNull(samplingParameters.maxTokens());
  }

  public long seed() {
    return Objects.requireNonNull(samplingParameters.seed());
  }

  public boolean thinking() {
    return !Boolean.FALSE.equals(samplingParameters.thinking());
  }

  /** As the engine wants it. */
  public Sampling sampling() {
    return Sampling.builder()
        .temperature(Objects.requireNonNull(samplingParameters.temperature()))
        .topK(Objects.requireNonNull(samplingParameters.topK()))
        .topP(Objects.requireNonNull(samplingParameters.topP()))
        .minP(Objects.requireNonNull(samplingParameters.minP()))
        .repetitionPenalty(Objects.requireNonNull(samplingParameters.repeatPenalty()))
        .penaltyWindow(Objects.requireNonNull(samplingParameters.repeatLastN()))
        .presencePenalty(presencePenalty)
        .frequencyPenalty(frequencyPenalty)
        .logitBias(logitBias)
        .seed(seed())
        .build();
  }
}

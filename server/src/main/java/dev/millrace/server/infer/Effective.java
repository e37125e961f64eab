package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.sample.Sampling;
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
record Effective(
    Defaults settled,
    double presencePenalty,
    double frequencyPenalty,
    Map<Integer, Float> logitBias,
    List<String> stops,
    boolean ignoreEos,
    @Nullable Rule rule) {

  /** What is left open by all is decided by {@code seed}. */
  static Effective of(Parameters asked, Defaults defaults, long seed) {
    Defaults settled = asked.givenOrImplied().orElse(defaults);
    return new Effective(
        settled.seed() == null ? settled.withSeed(seed) : settled,
        asked.presencePenalty(),
        asked.frequencyPenalty(),
        asked.logitBias(),
        asked.stops(),
        asked.ignoreEos(),
        asked.rule());
  }

  /**
   * As an earlier attempt wrote it down.
   *
   * @param rule the task's, which is written down by its hash only
   * @throws RuntimeException if it is something else
   */
  static Effective parse(JsonObject json, @Nullable Rule rule) {
    Map<Integer, Float> bias = new TreeMap<>();
    json.object("logit_bias")
        .values()
        .forEach((token, value) -> bias.put(Integer.valueOf(token), floats(value)));
    Defaults settled =
        new Defaults(
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
    return new Effective(
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

  JsonObject toJson() {
    JsonObject json =
        JsonObject.create()
            .put("max_tokens", (long) maxTokens())
            .put("temperature", settled.temperature())
            .put("top_k", Objects.requireNonNull(settled.topK()).longValue())
            .put("top_p", settled.topP())
            .put("min_p", settled.minP())
            .put("repeat_penalty", settled.repeatPenalty())
            .put("repeat_last_n", Objects.requireNonNull(settled.repeatLastN()).longValue())
            .put("seed", seed())
            .put("thinking", thinking());
    putUnless(json, "presence_penalty", presencePenalty, presencePenalty == 0);
    putUnless(json, "frequency_penalty", frequencyPenalty, frequencyPenalty == 0);
    putUnless(json, "logit_bias", biasJson(), logitBias.isEmpty());
    putUnless(json, "stop", stops, stops.isEmpty());
    putUnless(json, "ignore_eos", true, !ignoreEos);
    return json.putIfPresent("constraint", rule == null ? null : rule.toJson().values());
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
  Effective within(int room) {
    return new Effective(
        settled.withMaxTokens(Math.min(room, maxTokens())),
        presencePenalty,
        frequencyPenalty,
        logitBias,
        stops,
        ignoreEos,
        rule);
  }

  int maxTokens() {
    return Objects.requireNonNull(settled.maxTokens());
  }

  long seed() {
    return Objects.requireNonNull(settled.seed());
  }

  boolean thinking() {
    return !Boolean.FALSE.equals(settled.thinking());
  }

  /** As the engine wants it. */
  Sampling sampling() {
    return Sampling.builder()
        .temperature(Objects.requireNonNull(settled.temperature()))
        .topK(Objects.requireNonNull(settled.topK()))
        .topP(Objects.requireNonNull(settled.topP()))
        .minP(Objects.requireNonNull(settled.minP()))
        .repetitionPenalty(Objects.requireNonNull(settled.repeatPenalty()))
        .penaltyWindow(Objects.requireNonNull(settled.repeatLastN()))
        .presencePenalty(presencePenalty)
        .frequencyPenalty(frequencyPenalty)
        .logitBias(logitBias)
        .seed(seed())
        .build();
  }
}

package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a task is run with: its own parameters, completed by the defaults of its first attempt.
 *
 * @param sampling every field is set
 * @param tools null: the output has no calls
 * @param rules those of the version that began the task
 */
public record EffectiveParameters(
    SamplingParameters sampling,
    LogitAdjustments logits,
    OutputRules output,
    @Nullable ToolUse tools,
    TaskRules rules) {

  /**
   * Parameters without calls.
   *
   * @param seed used if neither the task nor the defaults set one
   */
  public static EffectiveParameters of(
      GenerateParameters asked, SamplingParameters defaults, long seed) {
    SamplingParameters sampling = asked.sampling().orElse(defaults);
    return new EffectiveParameters(
        sampling.seed() == null ? sampling.toBuilder().seed(seed).build() : sampling,
        asked.logits(),
        asked.output(),
        null,
        asked.prompt().hasNames() ? TaskRules.CURRENT : TaskRules.CURRENT.withoutNames());
  }

  /**
   * Reads what {@link #toJson} of an earlier attempt wrote.
   *
   * @param asked the task's: the JSON has only the hash of its constraint and of its tools
   * @throws RuntimeException if the JSON is something else
   */
  public static EffectiveParameters parse(JsonObject json, GenerateParameters asked) {
    Map<Integer, Float> bias = new TreeMap<>();
    json.object("logit_bias")
        .values()
        .forEach((token, value) -> bias.put(Integer.valueOf(token), floats(value)));
    SamplingParameters sampling =
        SamplingParameters.builder()
            .maxTokens(Math.toIntExact(json.integer("max_tokens")))
            .temperature(json.number("temperature", 0))
            .topK(Math.toIntExact(json.integer("top_k")))
            .topP(json.number("top_p", 1))
            .minP(json.number("min_p", 0))
            .repeatPenalty(json.number("repeat_penalty", 1))
            .repeatLastN(Math.toIntExact(json.integer("repeat_last_n")))
            .seed(json.integer("seed"))
            .thinking(json.flag("thinking", true))
            .build();
    return new EffectiveParameters(
        sampling,
        new LogitAdjustments(
            json.number("presence_penalty", 0), json.number("frequency_penalty", 0), bias),
        new OutputRules(
            json.list("stop").stream().map(String::valueOf).toList(),
            json.flag("ignore_eos", false),
            asked.output().constraint(),
            asked.output().report()),
        tools(json, asked.tools()),
        TaskRules.parse(json));
  }

  /** The calls of an earlier attempt; an older version parsed none, whatever was asked. */
  private static @Nullable ToolUse tools(JsonObject json, ToolParameters asked) {
    return json.has("tool_choice")
        ? asked.use(ToolCallFormat.named(json.string("tool_format")).orElseThrow())
        : null;
  }

  private static float floats(@Nullable Object value) {
    return ((Number) Objects.requireNonNull(value)).floatValue();
  }

  public JsonObject toJson() {
    JsonObject json =
        JsonObject.create()
            .put("max_tokens", (long) maxTokens())
            .put("temperature", sampling.temperature())
            .put("top_k", Objects.requireNonNull(sampling.topK()).longValue())
            .put("top_p", sampling.topP())
            .put("min_p", sampling.minP())
            .put("repeat_penalty", sampling.repeatPenalty())
            .put("repeat_last_n", Objects.requireNonNull(sampling.repeatLastN()).longValue())
            .put("seed", seed())
            .put("thinking", thinking());
    double presence = logits.presencePenalty();
    double frequency = logits.frequencyPenalty();
    putUnless(json, "presence_penalty", presence, presence == 0);
    putUnless(json, "frequency_penalty", frequency, frequency == 0);
    putUnless(json, "logit_bias", biasJson(), logits.logitBias().isEmpty());
    putUnless(json, "stop", output.stops(), output.stops().isEmpty());
    putUnless(json, "ignore_eos", true, !output.ignoreEos());
    OutputConstraint constraint = output.constraint();
    rules.addTo(json, constraint != null || tools != null, !output.stops().isEmpty());
    putUnless(json, "logprobs", logprobs(), output.report().logprobs() == null);
    if (tools != null) {
      tools.addTo(json);
    }
    return json.putIfPresent(
        "constraint", constraint == null ? null : constraint.toJson().values());
  }

  private long logprobs() {
    Integer alternatives = output.report().logprobs();
    return alternatives == null ? -1 : alternatives;
  }

  private Map<String, Object> biasJson() {
    Map<String, Object> json = new TreeMap<>();
    logits.logitBias().forEach((token, bias) -> json.put(token.toString(), bias.doubleValue()));
    return json;
  }

  private static void putUnless(JsonObject json, String name, Object value, boolean isDefault) {
    if (!isDefault) {
      json.put(name, value);
    }
  }

  /** The same with at most {@code room} tokens. */
  public EffectiveParameters cappedTo(int room) {
    return new EffectiveParameters(
        sampling.toBuilder().maxTokens(Math.min(room, maxTokens())).build(),
        logits,
        output,
        tools,
        rules);
  }

  /** The same with these calls. */
  public EffectiveParameters withTools(@Nullable ToolUse use) {
    return new EffectiveParameters(sampling, logits, output, use, rules);
  }

  /** The same with the seed of another answer to the same prompt. */
  public EffectiveParameters withSeed(long seed) {
    return new EffectiveParameters(
        sampling.toBuilder().seed(seed).build(), logits, output, tools, rules);
  }

  /**
   * Whether a grammar covers the whole answer. A grammar of calls alone covers it only from a call
   * on, if none is required.
   */
  public boolean isAnswerConstrained() {
    return output.constraint() != null || tools != null && tools.required();
  }

  public int maxTokens() {
    return Objects.requireNonNull(sampling.maxTokens());
  }

  public long seed() {
    return Objects.requireNonNull(sampling.seed());
  }

  public boolean thinking() {
    return !Boolean.FALSE.equals(sampling.thinking());
  }

  /** The same in the engine's type. */
  public Sampling engineSampling() {
    return Sampling.builder()
        .temperature(Objects.requireNonNull(sampling.temperature()))
        .topK(Objects.requireNonNull(sampling.topK()))
        .topP(Objects.requireNonNull(sampling.topP()))
        .minP(Objects.requireNonNull(sampling.minP()))
        .repetitionPenalty(Objects.requireNonNull(sampling.repeatPenalty()))
        .penaltyWindow(Objects.requireNonNull(sampling.repeatLastN()))
        .presencePenalty(logits.presencePenalty())
        .frequencyPenalty(logits.frequencyPenalty())
        .logitBias(logits.logitBias())
        .seed(seed())
        .logprobs((int) logprobs())
        .build();
  }
}

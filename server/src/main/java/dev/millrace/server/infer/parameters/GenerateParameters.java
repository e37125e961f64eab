package dev.millrace.server.infer.parameters;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.GenerationRequest;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The checked parameters of a generate task. Defaults are not filled in.
 *
 * @param model null: the default
 * @param interactive whether someone waits for the output: it comes before the work of the queue
 */
public record GenerateParameters(
    @Nullable String model,
    boolean interactive,
    TaskPrompt prompt,
    ToolParameters tools,
    SamplingParameters sampling,
    LogitAdjustments logits,
    OutputRules output) {

  private static final Set<String> SAMPLING =
      Set.of(
          "model",
          "interactive",
          "temperature",
          "top_k",
          "top_p",
          "min_p",
          "seed",
          "stop",
          "max_tokens",
          "repeat_penalty",
          "repeat_last_n",
          "presence_penalty",
          "frequency_penalty",
          "logit_bias",
          "ignore_eos",
          "thinking");

  private static final Set<String> KNOWN = known();

  /** More than any vocabulary has: each token is checked against the model's. */
  static final int MAX_BIASES = 300_000;

  private static final String PENALTY = "a number from -100 to 100";
  private static final String BIAS = "an object of numbers from -1e6 to 1e6 by token id";
  private static final String BIAS_KEY = "the id of a token where it is a key, such as \"42\"";
  private static final String BIAS_VALUE = "a number from -1e6 to 1e6";

  private static Set<String> known() {
    Set<String> all = new HashSet<>(SAMPLING);
    all.addAll(TaskPrompt.NAMES);
    all.addAll(OutputConstraint.NAMES);
    all.addAll(OutputReport.NAMES);
    all.addAll(TemplateOptions.NAMES);
    all.addAll(ToolParameters.NAMES);
    return Set.copyOf(all);
  }

  /**
   * @throws TaskRefused if a parameter is invalid; the message names it and the rule
   */
  public static GenerateParameters of(JsonObject data, @Nullable Object input) {
    ParameterReader fields = ParameterReader.of(data, input, KNOWN);
    TaskPrompt prompt = TaskPrompt.of(fields);
    ToolParameters tools = ToolParameters.of(fields);
    return new GenerateParameters(
        fields.text("model"),
        Boolean.TRUE.equals(fields.flag("interactive")),
        tools.choice() == ToolParameters.Choice.NONE ? prompt.withoutTools() : prompt,
        tools,
        sampling(fields),
        logits(fields),
        new OutputRules(
            stops(fields),
            Boolean.TRUE.equals(fields.flag("ignore_eos")),
            OutputConstraint.of(fields),
            OutputReport.of(fields)));
  }

  private static List<String> stops(ParameterReader fields) {
    List<String> stops = fields.texts("stop", "a text that is not empty, or a list of such");
    int characters = stops.stream().mapToInt(String::length).sum();
    if (stops.size() > GenerationRequest.MAX_STOPS
        || characters > GenerationRequest.MAX_STOP_CHARACTERS) {
      throw TaskRefused.ofParameter(
          "stop",
          "parameter \"stop\" has %d texts with %d characters; at most %d with %d are supported"
              .formatted(
                  stops.size(),
                  characters,
                  GenerationRequest.MAX_STOPS,
                  GenerationRequest.MAX_STOP_CHARACTERS));
    }
    return stops;
  }

  private static SamplingParameters sampling(ParameterReader fields) {
    return SamplingParameters.builder()
        .maxTokens(fields.integer("max_tokens", 1, "a whole number, at least 1"))
        .temperature(
            fields.number("temperature", t -> t >= 0 && t <= 100, "a number from 0 to 100"))
        .topK(fields.integer("top_k", 0, "a whole number, at least 0 (0 is off)"))
        .topP(
            fields.number(
                "top_p", p -> p > 0 && p <= 1, "a number above 0 and at most 1 (1 is off)"))
        .minP(fields.number("min_p", p -> p >= 0 && p <= 1, "a number from 0 to 1 (0 is off)"))
        .repeatPenalty(
            fields.number(
                "repeat_penalty",
                p -> p > 0 && p <= 100,
                "a number above 0 and at most 100 (1 is off)"))
        .repeatLastN(
            fields.integer(
                "repeat_last_n", -1, "a whole number, at least -1 (-1 is the whole text)"))
        .seed(fields.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE, "a whole number of 64 bits"))
        .thinking(TemplateOptions.thinking(fields))
        .build();
  }

  private static LogitAdjustments logits(ParameterReader fields) {
    Double presence = fields.number("presence_penalty", p -> Math.abs(p) <= 100, PENALTY);
    Double frequency = fields.number("frequency_penalty", p -> Math.abs(p) <= 100, PENALTY);
    return new LogitAdjustments(
        presence == null ? 0 : presence, frequency == null ? 0 : frequency, bias(fields));
  }

  private static Map<Integer, Float> bias(ParameterReader fields) {
    Map<Integer, Float> bias = new TreeMap<>();
    Object given = fields.get("logit_bias");
    if (given != null && !(given instanceof Map<?, ?>)) {
      throw ParameterReader.invalid("logit_bias", given, BIAS);
    }
    if (given instanceof Map<?, ?> map) {
      if (map.size() > MAX_BIASES) {
        throw TaskRefused.ofParameter(
            "logit_bias",
            "parameter \"logit_bias\" has %d tokens; at most %d are supported"
                .formatted(map.size(), MAX_BIASES));
      }
      map.forEach((token, value) -> putBias(bias, token, value));
    }
    return bias;
  }

  private static boolean isId(String token) {
    return !token.isEmpty()
        && token.length() <= 9
        && token.chars().allMatch(c -> c >= '0' && c <= '9');
  }

  private static void putBias(Map<Integer, Float> bias, Object token, @Nullable Object value) {
    if (!isId(token.toString())) {
      throw ParameterReader.invalid("logit_bias", token, BIAS_KEY);
    }
    if (!(value instanceof Number number) || !(Math.abs(number.doubleValue()) <= 1e6)) {
      throw ParameterReader.invalid("logit_bias[" + token + "]", value, BIAS_VALUE);
    }
    bias.put(Integer.valueOf(token.toString()), ((Number) value).floatValue());
  }
}

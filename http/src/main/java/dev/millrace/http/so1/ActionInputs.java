package dev.millrace.http.so1;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.route.Problem;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The inputs of each built-in action, translated to the parameters of its worker: {@code maxTokens}
 * becomes {@code max_tokens}. The inputs of all other actions are free.
 */
enum ActionInputs {
  GENERATE(
      "prompt",
      "messages",
      "model",
      "system",
      "tools",
      "raw",
      "thinking",
      "temperature",
      "topK",
      "topP",
      "minP",
      "repeatPenalty",
      "repeatLastN",
      "presencePenalty",
      "frequencyPenalty",
      "logitBias",
      "seed",
      "stop",
      "maxTokens",
      "ignoreEos",
      "jsonSchema",
      "grammar",
      "responseFormat"),
  EMBED("prompt", "input", "model", "pooling", "normalize");

  private static final Pattern CAPITAL = Pattern.compile("[A-Z]");
  private static final Pattern LOW_LINE = Pattern.compile("_([a-z])");

  /** How an error of a worker names parameters. */
  private static final Pattern NAMED =
      Pattern.compile("^parameter \"\\w+|^parameters \"\\w+\" and \"\\w+\"|^\\w+:");

  private final Set<String> names;

  ActionInputs(String... names) {
    this.names = Stream.of(names).collect(Collectors.toUnmodifiableSet());
  }

  /** The inputs of an action; null if they are free. */
  static @Nullable ActionInputs of(String action) {
    return switch (action) {
      case "generate" -> GENERATE;
      case "embed" -> EMBED;
      default -> null;
    };
  }

  /** The names of the built-in actions. */
  static Set<String> builtIn() {
    return Set.of("generate", "embed");
  }

  /**
   * The inputs as parameters of a worker; inputs that are null are left out.
   *
   * @throws Problem if an input is not known; names it
   */
  Map<String, Object> toParameters(JsonObject inputs) {
    Map<String, Object> parameters = new LinkedHashMap<>();
    for (Map.Entry<String, @Nullable Object> input : inputs.values().entrySet()) {
      if (!names.contains(input.getKey())) {
        throw unknown(input.getKey());
      }
      if (input.getValue() != null) {
        parameters.put(snake(input.getKey()), input.getValue());
      }
    }
    return parameters;
  }

  private Problem unknown(String name) {
    String camel = camel(name);
    return new Problem(
        Problem.Kind.MALFORMED, // as the OpenAPI check does
        "inputs has an unknown field \""
            + name
            + "\""
            + (names.contains(camel) ? ", which is \"" + camel + "\" here" : "")
            + "; known: "
            + String.join(", ", new TreeSet<>(names)));
  }

  /** The error of a worker, with the names of inputs instead of parameters. */
  static String inApiNames(String refusal) {
    return NAMED.matcher(refusal).replaceFirst(ActionInputs::renamed);
  }

  private static String renamed(MatchResult found) {
    return camel(found.group()).replaceFirst("^parameter", "input");
  }

  private static String snake(String camel) {
    return CAPITAL
        .matcher(camel)
        .replaceAll(found -> "_" + Character.toLowerCase(found.group().charAt(0)));
  }

  private static String camel(String snake) {
    return LOW_LINE
        .matcher(snake)
        .replaceAll(found -> String.valueOf(Character.toUpperCase(found.group(1).charAt(0))));
  }
}

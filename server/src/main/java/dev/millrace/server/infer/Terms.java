package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that an output follows from: settled by a task's first attempt, kept with the job, and what a
 * later attempt must find again to go on from the tokens of an earlier one. The prompt's tokens are
 * kept by their hash: they are made anew from the input.
 *
 * @param kv how keys and values are kept
 * @param context positions that a sequence may have
 */
record Terms(
    String model,
    String modelSha256,
    int numerics,
    String kv,
    int context,
    int promptTokens,
    String promptSha256,
    Effective parameters) {

  /**
   * The version of the arithmetic and of the choice of tokens: raised with any change after which the
   * same file, prompt, parameters and seed can give other tokens (the order of a sum, a kernel's
   * rounding, the sampler, the random numbers, the tokenizer's splitting). Outputs begun under another
   * number are not gone on with, and not compared.
   */
  static final int NUMERICS = 1;

  static Terms of(LoadedModel model, Prompted prompt, Effective parameters) {
    return new Terms(
        model.name(),
        model.sha256(),
        NUMERICS,
        model.kv(),
        model.capacity(),
        prompt.tokens().length,
        Hashes.of(prompt.tokens()),
        parameters);
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("model", model)
        .put("model_sha256", modelSha256)
        .put("numerics", (long) numerics)
        .put("kv", kv)
        .put("context", (long) context)
        .put("prompt_tokens", (long) promptTokens)
        .put("prompt_sha256", promptSha256)
        .put("parameters", parameters.toJson().values());
  }

  /**
   * What is otherwise than it was, in words; empty if these terms would give what {@code frozen}
   * would.
   */
  Optional<String> changeSince(JsonObject frozen) {
    Map<String, Object> now =
        Map.of(
            "model_sha256", modelSha256,
            "numerics", (long) numerics,
            "kv", kv,
            "context", (long) context,
            "prompt_sha256", promptSha256);
    for (String name :
        new String[] {"model_sha256", "numerics", "kv", "context", "prompt_sha256"}) {
      Object before = frozen.get(name);
      Object present = Objects.requireNonNull(now.get(name));
      if (!present.toString().equals(String.valueOf(before))) {
        return Optional.of(
            "%s (%s then, %s now)".formatted(what(name), brief(before), brief(present)));
      }
    }
    String rule = String.valueOf(frozen.object("parameters").get("constraint"));
    String present = String.valueOf(parameters.toJson().get("constraint"));
    return rule.equals(present) ? Optional.empty() : Optional.of("the constraint changed");
  }

  private static String what(String name) {
    return switch (name) {
      case "model_sha256" -> "the model file changed";
      case "numerics" -> "the arithmetic has another version";
      case "kv" -> "keys and values are kept otherwise";
      case "context" -> "the context has another length";
      default -> "the prompt has other tokens";
    };
  }

  private static String brief(@Nullable Object value) {
    String text = String.valueOf(value);
    return text.length() <= 16 ? text : text.substring(0, 12) + "…";
  }
}

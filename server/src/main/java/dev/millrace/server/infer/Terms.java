package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.Numerics;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * All that an output follows from: settled by a task's first attempt, kept with the job, and what a
 * later attempt must find again to go on from the tokens of an earlier one. The prompt's tokens are
 * kept by their hash: they are made anew from the input.
 *
 * @param kv how keys and values are kept
 * @param context positions that a sequence may have
 * @param thoughtTags by which thoughts are told from the answer; null where all is answer
 */
record Terms(
    String model,
    String modelSha256,
    int numerics,
    String kv,
    int context,
    int promptTokens,
    String promptSha256,
    @Nullable String thoughtTags,
    Effective parameters) {

  /** A field that must be the same, and what is said where it is not. */
  private record Bond(String name, String change) {}

  private static final List<Bond> BONDS =
      List.of(
          new Bond("model_sha256", "the model file changed"),
          new Bond("numerics", "the arithmetic has another version"),
          new Bond("kv", "keys and values are kept otherwise"),
          new Bond("context", "the context has another length"),
          new Bond("prompt_sha256", "the prompt has other tokens"),
          new Bond("thought_tags", "the template marks thoughts otherwise"));

  static Terms of(LoadedModel model, Prompted prompt, Effective parameters) {
    return new Terms(
        model.name(),
        model.sha256(),
        Numerics.VERSION,
        model.kv(),
        model.capacity(),
        prompt.tokens().length,
        Hashes.of(prompt.tokens()),
        prompt.thoughtTags(),
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
        .putIfPresent("thought_tags", thoughtTags)
        .put("parameters", parameters.toJson().values());
  }

  /**
   * What is otherwise than it was, in words; empty if these terms would give what {@code frozen}
   * would.
   */
  Optional<String> changeSince(JsonObject frozen) {
    JsonObject now = toJson();
    for (Bond bond : BONDS) {
      String before = String.valueOf(frozen.get(bond.name));
      String present = String.valueOf(now.get(bond.name));
      if (!present.equals(before)) {
        return Optional.of(
            "%s (%s then, %s now)".formatted(bond.change, brief(before), brief(present)));
      }
    }
    String rule = String.valueOf(frozen.object("parameters").get("constraint"));
    String present = String.valueOf(parameters.toJson().get("constraint"));
    return rule.equals(present) ? Optional.empty() : Optional.of("the constraint changed");
  }

  private static String brief(String text) {
    return text.length() <= 16 ? text : text.substring(0, 12) + "…";
  }
}

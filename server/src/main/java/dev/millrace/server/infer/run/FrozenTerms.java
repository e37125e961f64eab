package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.NumericsVersion;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import dev.millrace.server.infer.parameters.Sha256;
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
public record FrozenTerms(
    String model,
    String modelSha256,
    int numerics,
    String kvType,
    int context,
    int promptTokens,
    String promptSha256,
    @Nullable String thoughtTags,
    EffectiveParameters parameters) {

  /** A field that must be the same, and what is said where it is not. */
  private record PinnedField(String name, String change) {}

  private static final List<PinnedField> PINNED_FIELDS =
      List.of(
          new PinnedField("model_sha256", "the model file changed"),
          new PinnedField("numerics", "the arithmetic has another version"),
          new PinnedField("kv", "keys and values are kept otherwise"),
          new PinnedField("context", "the context has another length"),
          new PinnedField("prompt_sha256", "the prompt has other tokens"),
          new PinnedField("thought_tags", "the template marks thoughts otherwise"));

  public static FrozenTerms of(
      LoadedModel model, TokenizedPrompt prompt, EffectiveParameters parameters) {
    return new FrozenTerms(
        model.name(),
        model.sha256(),
        NumericsVersion.CURRENT,
        model.kvType(),
        model.capacity(),
        prompt.tokens().length,
        Sha256.of(prompt.tokens()),
        prompt.thoughtTags(),
        parameters);
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("model", model)
        .put("model_sha256", modelSha256)
        .put("numerics", (long) numerics)
        .put("kv", kvType)
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
  public Optional<String> changeSince(JsonObject frozen) {
    JsonObject now = toJson();
    for (PinnedField bond : PINNED_FIELDS) {
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

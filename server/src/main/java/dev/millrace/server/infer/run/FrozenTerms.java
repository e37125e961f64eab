package dev.millrace.server.infer.run;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.NumericsVersion;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.parameters.EffectiveParameters;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything that determines an output. The first attempt of a task freezes its terms with the job;
 * a later attempt resumes from the journaled tokens only if its own terms give the same output. The
 * prompt is kept by its hash only: its tokens are made again from the input.
 */
public record FrozenTerms(
    ModelIdentity model, CacheShape cache, PromptIdentity prompt, EffectiveParameters parameters) {

  /**
   * Which weights are computed, and how.
   *
   * @param numerics the version of the arithmetic
   */
  public record ModelIdentity(String name, String sha256, int numerics) {}

  /**
   * The KV cache of a sequence.
   *
   * @param kvType the type of its numbers
   * @param context the most positions of a sequence
   */
  public record CacheShape(String kvType, int context) {}

  /**
   * Which tokens the model gets.
   *
   * @param thoughtTags the marks that separate thoughts from the answer; null: all is answer
   */
  public record PromptIdentity(int tokens, String sha256, @Nullable String thoughtTags) {}

  /** A field that must not change, and the message if it does. */
  private record PinnedField(String name, String change) {}

  private static final List<PinnedField> PINNED_FIELDS =
      List.of(
          new PinnedField("model_sha256", "the model file changed"),
          new PinnedField("numerics", "the version of the arithmetic changed"),
          new PinnedField("kv", "the type of the KV cache changed"),
          new PinnedField("context", "the context length changed"),
          new PinnedField("prompt_sha256", "the prompt tokens changed"),
          new PinnedField("thought_tags", "the template changed its marks of thoughts"));

  public static FrozenTerms of(
      LoadedModel model, TokenizedPrompt prompt, EffectiveParameters parameters) {
    return new FrozenTerms(
        new ModelIdentity(model.name(), model.sha256(), NumericsVersion.CURRENT),
        new CacheShape(model.kvType(), model.capacity()),
        new PromptIdentity(
            prompt.tokens().length, Sha256.hexOf(prompt.tokens()), prompt.thoughtTags()),
        parameters);
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("model", model.name())
        .put("model_sha256", model.sha256())
        .put("numerics", (long) model.numerics())
        .put("kv", cache.kvType())
        .put("context", (long) cache.context())
        .put("prompt_tokens", (long) prompt.tokens())
        .put("prompt_sha256", prompt.sha256())
        .putIfPresent("thought_tags", prompt.thoughtTags())
        .put("parameters", parameters.toJson().values());
  }

  /** What differs from {@code frozen}, in words; empty if both give the same output. */
  public Optional<String> changeSince(JsonObject frozen) {
    JsonObject now = toJson();
    for (PinnedField field : PINNED_FIELDS) {
      String before = String.valueOf(frozen.get(field.name));
      String present = String.valueOf(now.get(field.name));
      if (!present.equals(before)) {
        return Optional.of(
            "%s (%s then, %s now)".formatted(field.change, brief(before), brief(present)));
      }
    }
    String before = String.valueOf(frozen.object("parameters").get("constraint"));
    String present = String.valueOf(parameters.toJson().get("constraint"));
    return before.equals(present) ? Optional.empty() : Optional.of("the constraint changed");
  }

  private static String brief(String text) {
    return text.length() <= 16 ? text : text.substring(0, 12) + "…";
  }
}

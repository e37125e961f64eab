package dev.millrace.server.infer.run;

import dev.millrace.core.internal.hash.Sha256;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.api.ThoughtTags;
import dev.millrace.engine.chat.SpecialTokenRule;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.server.infer.model.WeightlessModel;
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
  public record ModelIdentity(String name, String sha256, NumericsVersion numerics) {}

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
   * @param specialTokens where special tokens were found; null: the prompt is no conversation
   * @param thoughtTags the marks that separate thoughts from the answer; null: all is answer
   * @param thoughtsOpened whether the prompt has opened the thoughts; null: the output has none
   */
  public record PromptIdentity(
      int tokens,
      String sha256,
      @Nullable SpecialTokenRule specialTokens,
      @Nullable String thoughtTags,
      @Nullable Boolean thoughtsOpened) {

    @Nullable String specialTokensId() {
      return specialTokens == null ? null : specialTokens.id();
    }
  }

  /** A field that must not change, and the message if it does. */
  private record PinnedField(String name, String change) {}

  private static final PinnedField MODEL_FILE =
      new PinnedField("model_sha256", "the model file changed");
  private static final List<PinnedField> PINNED_FIELDS =
      List.of(
          new PinnedField("kv", "the type of the KV cache changed"),
          new PinnedField("context", "the context length changed"),
          new PinnedField("prompt_sha256", "the prompt tokens changed"),
          new PinnedField("thought_tags", "the template changed its marks of thoughts"));

  static final String SPECIAL_TOKENS = "special_tokens";
  static final String NUMERICS = "numerics";

  /**
   * The version of the arithmetic in terms or a receipt.
   *
   * @throws EngineException if it cannot be read
   */
  public static NumericsVersion numericsOf(JsonObject termsOrReceipt) {
    return NumericsVersion.parse(termsOrReceipt.get(NUMERICS));
  }

  /**
   * The rule for special tokens in terms that were frozen earlier. Terms that name none are from a
   * time when special tokens were found in messages, too.
   *
   * @throws EngineException if this version does not know the rule
   */
  static SpecialTokenRule specialTokensOf(JsonObject frozen) {
    Object id = frozen.get(SPECIAL_TOKENS);
    return id == null
        ? SpecialTokenRule.TEXT
        : SpecialTokenRule.named(id.toString())
            .orElseThrow(
                () ->
                    new EngineException(
                        "the rule \"%s\" for special tokens is not known to this version"
                            .formatted(id)));
  }

  /**
   * @param sha256 of the model's file
   * @param numerics the version of the arithmetic that it runs under
   */
  static FrozenTerms of(
      WeightlessModel model,
      String sha256,
      NumericsVersion numerics,
      TokenizedPrompt prompt,
      EffectiveParameters parameters) {
    ThoughtTags thoughts = thoughts(prompt, parameters);
    return new FrozenTerms(
        new ModelIdentity(model.name(), sha256, numerics),
        new CacheShape(model.kvType(), model.capacity()),
        new PromptIdentity(
            prompt.tokens().length,
            Sha256.hexOf(prompt.tokens()),
            prompt.chat() == null ? null : prompt.chat().rule(),
            prompt.thoughtTags(),
            thoughts == null ? null : Boolean.valueOf(thoughts.opened())),
        parameters);
  }

  /** The thoughts that come before the answer; null if the whole output is answer. */
  private static @Nullable ThoughtTags thoughts(
      TokenizedPrompt prompt, EffectiveParameters parameters) {
    ThoughtTags tags = prompt.thoughts();
    if (tags == null || !parameters.isAnswerConstrained()) {
      return tags;
    }
    boolean mayOpen = parameters.thinking() && prompt.knowsThoughts();
    return parameters.rules().constraintAfterThoughts() && (tags.opened() || mayOpen) ? tags : null;
  }

  /** The same; null if the whole output is answer. */
  @Nullable ThoughtTags thoughts() {
    String tags = prompt.thoughtTags();
    Boolean opened = prompt.thoughtsOpened();
    if (tags == null || opened == null) {
      return null;
    }
    String[] both = tags.split(" ", 2);
    return new ThoughtTags(both[0], both[1], opened);
  }

  JsonObject toJson() {
    return JsonObject.create()
        .put("model", model.name())
        .put("model_sha256", model.sha256())
        .put(NUMERICS, model.numerics().toJson())
        .put("kv", cache.kvType())
        .put("context", (long) cache.context())
        .put("prompt_tokens", (long) prompt.tokens())
        .put("prompt_sha256", prompt.sha256())
        .putIfPresent(SPECIAL_TOKENS, prompt.specialTokensId())
        .putIfPresent("thought_tags", prompt.thoughtTags())
        .putIfPresent("thoughts_opened", prompt.thoughtsOpened())
        .put("parameters", parameters.toJson().values());
  }

  /** What differs from {@code frozen}, in words; empty if both give the same output. */
  public Optional<String> changeSince(JsonObject frozen) {
    JsonObject now = toJson();
    return change(MODEL_FILE, frozen, now)
        .or(() -> model.numerics().changeSince(numericsOf(frozen)))
        .or(
            () ->
                PINNED_FIELDS.stream()
                    .flatMap(field -> change(field, frozen, now).stream())
                    .findFirst())
        .or(() -> changedParameters(frozen));
  }

  private static Optional<String> change(PinnedField field, JsonObject frozen, JsonObject now) {
    String before = String.valueOf(frozen.get(field.name));
    String present = String.valueOf(now.get(field.name));
    return present.equals(before)
        ? Optional.empty()
        : Optional.of(
            "%s (%s then, %s now)".formatted(field.change, brief(before), brief(present)));
  }

  private Optional<String> changedParameters(JsonObject frozen) {
    JsonObject before = frozen.object("parameters");
    JsonObject present = parameters.toJson();
    if (differ(before, present, "constraint")) {
      return Optional.of("the constraint changed");
    }
    return differ(before, present, "tools_sha256")
        ? Optional.of("the tools changed")
        : Optional.empty();
  }

  private static boolean differ(JsonObject before, JsonObject present, String name) {
    return !String.valueOf(before.get(name)).equals(String.valueOf(present.get(name)));
  }

  private static String brief(String text) {
    return text.length() <= 16 ? text : text.substring(0, 12) + "…";
  }
}

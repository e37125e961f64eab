package dev.millrace.engine.chat;

import dev.millrace.engine.error.ChatTemplateException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.jinja.JinjaTemplate;
import dev.millrace.engine.internal.jinja.value.JinjaLimits;
import dev.millrace.engine.internal.jinja.value.PyString;
import dev.millrace.engine.token.PromptText;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Turns messages into the prompt that a model was trained on, with the Jinja template of its file,
 * exactly as Hugging Face transformers renders it. Threads may share a template.
 *
 * <p>Messages, tools and further variables are plain objects: null, Boolean, numbers, String, List,
 * and Map with String keys, in their order. The template's clock is an argument, so that the same
 * input gives the same prompt at any time.
 */
public final class ChatTemplate {
  private static final Set<String> ARGUMENTS = Set.of("messages", "tools", "add_generation_prompt");

  private final JinjaTemplate template;
  private final String source;
  private final Origin origin;
  private final ReasoningSplitter.Tags reasoningTags;
  private final Map<String, PyString> specialTokens = new HashMap<>();
  private final MessageOrigins origins;

  private ChatTemplate(
      String source, Origin origin, Map<String, String> specialTokens, Set<String> answerMarkers) {
    this.template = JinjaTemplate.parse(source, JinjaLimits.DEFAULT);
    this.source = source;
    this.origin = origin;
    this.reasoningTags = ReasoningSplitter.Tags.usedBy(source);
    specialTokens.forEach((name, text) -> this.specialTokens.put(name, PyString.ofTemplate(text)));
    this.origins = new MessageOrigins(answerMarkers);
  }

  /** Where a template comes from. */
  public enum Origin {
    /** The model's file. */
    FILE,
    /**
     * The file has no template, but its vocabulary has the tokens of ChatML: the model was most
     * likely trained on that format.
     */
    CHATML,
    /**
     * The file has no template, and nothing shows which format it was trained on: the texts of the
     * messages, one after the other.
     */
    PLAIN
  }

  /**
   * Reads the template of a file.
   *
   * @param specialTokens texts of tokens by the names that templates use, such as {@code bos_token}
   *     and {@code eos_token}; one that the model lacks is left out
   * @param answerMarkers the markers that a message of the assistant may contain, as the model
   *     writes them itself
   * @throws ChatTemplateException if it is no template or uses what is not supported
   */
  public static ChatTemplate of(
      String source, Map<String, String> specialTokens, Set<String> answerMarkers) {
    return new ChatTemplate(source, Origin.FILE, specialTokens, answerMarkers);
  }

  /**
   * The template for a file that has none, chosen by the special tokens of the vocabulary: see
   * {@link Origin}. It refuses tools.
   */
  public static ChatTemplate fallback(
      Predicate<String> inVocabulary, Map<String, String> specialTokens) {
    boolean chatMl = inVocabulary.test("<|im_start|>") && inVocabulary.test("<|im_end|>");
    String source = chatMl ? FallbackTemplates.CHATML : FallbackTemplates.PLAIN;
    return new ChatTemplate(source, chatMl ? Origin.CHATML : Origin.PLAIN, specialTokens, Set.of());
  }

  /** Its Jinja source. */
  public String source() {
    return source;
  }

  public Origin origin() {
    return origin;
  }

  /** The tags around the reasoning of a model with this template. */
  public ReasoningSplitter.Tags reasoningTags() {
    return reasoningTags;
  }

  /**
   * Renders a conversation. The prompt tells what the template wrote from what comes from the
   * messages, the tools and the further variables.
   *
   * @param messages each with {@code role} and {@code content}, and what else its role has: {@code
   *     tool_calls}, {@code reasoning_content}, ...
   * @param tools the functions on offer, as JSON schema objects; null or none when there are none
   * @param extras further variables, such as {@code enable_thinking}; {@code documents} is null
   *     unless given
   * @param addGenerationPrompt whether the prompt ends where the model is to answer
   * @param now the template's clock, in UTC
   * @throws ChatTemplateException if the template rejects the messages ({@link
   *     ChatTemplateException#raised}), fails on them, or exceeds its limits
   */
  public PromptText render(
      List<? extends Map<String, ?>> messages,
      @Nullable List<?> tools,
      Map<String, ?> extras,
      boolean addGenerationPrompt,
      Instant now) {
    Map<String, @Nullable Object> context = new HashMap<>();
    context.put("documents", null);
    extras.forEach(
        (name, value) -> {
          if (ARGUMENTS.contains(name)) {
            throw new EngineException(
                "chat template: '"
                    + name
                    + "' is not an extra variable; pass it as its own argument");
          }
          context.put(name, value);
        });
    context.put("messages", messages);
    context.put("tools", tools == null || tools.isEmpty() ? null : tools);
    context.put("add_generation_prompt", addGenerationPrompt);
    return render(context, now);
  }

  /** Renders with exactly these variables, over those of the special tokens. */
  public PromptText render(Map<String, ? extends @Nullable Object> context, Instant now) {
    Map<String, @Nullable Object> all = new HashMap<>(specialTokens);
    all.putAll(context);
    all.computeIfPresent("messages", (_, messages) -> origins.mark(messages));
    PyString prompt = template.render(all, LocalDateTime.ofInstant(now, ZoneOffset.UTC));
    return new PromptText(prompt.text(), prompt.messageIndexes());
  }
}

package dev.millrace.engine;

import dev.millrace.engine.chat.ChatTemplate;
import dev.millrace.engine.chat.ChatTemplateSet;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.chat.SpecialTokenRule;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.token.PromptText;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.engine.toolcall.ToolCallFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Encodes what a user writes as the tokens of a prompt. */
public final class PromptEncoder {
  private static final String TEMPLATE = "tokenizer.chat_template";

  /** No conversation contains it; as in Hugging Face transformers. */
  private static final String END_MARK = "CONTINUE_FINAL_MESSAGE_TAG ";

  private final Tokenizer tokenizer;
  private final ChatTemplateSet templates;
  private final BitSet markers;
  private final SpecialTokenRule rule;

  /**
   * A rendered conversation: its text, its tokens, the template that made it, and the rule that its
   * tokens were found by.
   */
  public record ChatPrompt(
      String text, int[] tokens, ChatTemplate template, SpecialTokenRule rule) {}

  public PromptEncoder(GgufMetadata metadata, Tokenizer tokenizer) {
    this(sources(metadata), tokenizer);
  }

  /** Uses this Jinja chat template instead of those in the file. */
  public PromptEncoder(String template, Tokenizer tokenizer) {
    this(Map.of(ChatTemplateSet.DEFAULT, template), tokenizer);
    templates.choose(false); // report errors of the template at once
  }

  private PromptEncoder(Map<String, String> sources, Tokenizer tokenizer) {
    this.tokenizer = tokenizer;
    templates =
        new ChatTemplateSet(
            sources, specialTokens(), text -> tokenizer.id(text).isPresent(), this::answerMarkers);
    markers = tokenizer.markers(sources.values());
    rule = SpecialTokenRule.TEMPLATE;
  }

  private PromptEncoder(PromptEncoder other, SpecialTokenRule rule) {
    this.tokenizer = other.tokenizer;
    this.templates = other.templates;
    this.markers = other.markers;
    this.rule = rule;
  }

  /** The same with another rule for special tokens in conversations. */
  public PromptEncoder with(SpecialTokenRule other) {
    return rule == other ? this : new PromptEncoder(this, other);
  }

  /**
   * The markers of thoughts and calls that a model with this template writes itself, as far as each
   * is one token. One that ends a turn is none of them.
   */
  private Set<String> answerMarkers(String source) {
    ReasoningSplitter.Tags tags = ReasoningSplitter.Tags.usedBy(source);
    return Stream.concat(
            Stream.of(tags.open(), tags.close()),
            ToolCallFormat.usedBy(source).shownTexts().stream())
        .filter(text -> tokenizer.id(text).isPresent())
        .filter(text -> !tokenizer.isEnd(tokenizer.id(text).getAsInt()))
        .collect(Collectors.toUnmodifiableSet());
  }

  private static Map<String, String> sources(GgufMetadata metadata) {
    Map<String, String> sources = new HashMap<>();
    for (String key : metadata.all().keySet()) {
      boolean named = key.startsWith(TEMPLATE + ".");
      if (!named && !key.equals(TEMPLATE) || metadata.string(key).isBlank()) {
        continue; // a template that is empty would swallow the prompt
      }
      if (!named) {
        sources.put(ChatTemplateSet.DEFAULT, metadata.string(key));
      } else {
        sources.put(key.substring(TEMPLATE.length() + 1), metadata.string(key));
      }
    }
    return sources;
  }

  private Map<String, String> specialTokens() {
    Map<String, String> texts = new HashMap<>();
    put(texts, "bos_token", tokenizer.bos());
    put(texts, "eos_token", tokenizer.eos());
    put(texts, "unk_token", tokenizer.unk());
    put(texts, "pad_token", tokenizer.pad());
    return texts;
  }

  private void put(Map<String, String> texts, String name, OptionalInt id) {
    if (id.isPresent()) {
      texts.put(name, tokenizer.text(id.getAsInt()));
    }
  }

  /**
   * The tokens of a text that the model continues, with the tokens that the model expects at the
   * start. The text may name special tokens: who writes the whole prompt writes its markers, too.
   */
  public int[] raw(String text) {
    return withBos(tokenizer.encode(text, false, true));
  }

  /**
   * The tokens of a conversation that the model answers: see {@link ChatTemplate#render}.
   *
   * @param now the template's clock
   */
  public ChatPrompt chat(
      List<? extends Map<String, ?>> messages,
      @Nullable List<?> tools,
      Map<String, ?> extras,
      Instant now) {
    ChatTemplate template = template(tools != null && !tools.isEmpty());
    return prompt(template.render(messages, tools, extras, true, now), template);
  }

  /**
   * The tokens of a conversation whose last message the model continues: the prompt ends with the
   * content of that message.
   *
   * @param messages the last one has a {@code content} that is text
   * @throws EngineException if the template does not show the end of the last message
   */
  public ChatPrompt continued(
      List<? extends Map<String, ?>> messages,
      @Nullable List<?> tools,
      Map<String, ?> extras,
      Instant now) {
    ChatTemplate template = template(tools != null && !tools.isEmpty());
    List<Map<String, ?>> marked = new ArrayList<>(messages);
    Map<String, Object> last = new HashMap<>(messages.getLast());
    last.put("content", last.get("content") + END_MARK);
    marked.set(marked.size() - 1, last);
    return prompt(cutAtMark(template.render(marked, tools, extras, false, now)), template);
  }

  /** A template that strips contents strips the white space after the mark, too. */
  private static PromptText cutAtMark(PromptText prompt) {
    String text = prompt.text();
    int end = text.lastIndexOf(END_MARK.strip());
    if (end < 0) {
      throw new EngineException(
          "chat template: it does not show the end of the last message, which is to be continued");
    }
    String before = text.substring(0, end);
    return prompt.prefix(text.startsWith(END_MARK, end) ? end : before.stripTrailing().length());
  }

  private ChatPrompt prompt(PromptText prompt, ChatTemplate template) {
    int[] tokens =
        switch (rule) {
          case TEMPLATE -> tokenizer.encode(prompt, markers);
          case TEXT -> tokenizer.encode(prompt.text(), false, true);
        };
    return new ChatPrompt(prompt.text(), withBos(tokens), template, rule);
  }

  /** The template for a conversation, with tools or without. */
  public ChatTemplate template(boolean tools) {
    return templates.choose(tools);
  }

  /**
   * Adds BOS unless the template wrote it itself. No end token is added: the model continues the
   * text.
   */
  private int[] withBos(int[] tokens) {
    OptionalInt bos = tokenizer.bos();
    boolean missing =
        tokenizer.addsBos()
            && bos.isPresent()
            && (tokens.length == 0 || tokens[0] != bos.getAsInt());
    if (!missing) {
      return tokens;
    }
    int[] begun = new int[tokens.length + 1];
    begun[0] = bos.getAsInt();
    System.arraycopy(tokens, 0, begun, 1, tokens.length);
    return begun;
  }
}

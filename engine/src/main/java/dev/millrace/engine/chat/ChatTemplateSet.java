package dev.millrace.engine.chat;

import dev.millrace.engine.error.EngineException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The templates of one model file: {@code tokenizer.chat_template}, here called {@code default},
 * and {@code tokenizer.chat_template.NAME}. Each is read when it is first needed, so an unsupported
 * template fails only when it is used.
 */
public final class ChatTemplateSet {
  /** The name of the template without a name of its own. */
  public static final String DEFAULT = "default";

  private static final String FOR_TOOLS = "tool_use";

  private final Map<String, String> sources;
  private final Map<String, String> specialTokens;
  private final Predicate<String> inVocabulary;
  private final Function<String, Set<String>> answerMarkers;
  private final Map<String, ChatTemplate> read = new LinkedHashMap<>();

  /**
   * The templates of a file.
   *
   * @param sources by name
   * @param specialTokens as for {@link ChatTemplate#of}
   * @param inVocabulary whether a text is a special token of the model, for the {@link
   *     ChatTemplate#fallback}
   * @param answerMarkers as for {@link ChatTemplate#of}, by the source of a template
   */
  public ChatTemplateSet(
      Map<String, String> sources,
      Map<String, String> specialTokens,
      Predicate<String> inVocabulary,
      Function<String, Set<String>> answerMarkers) {
    this.sources = Map.copyOf(sources);
    this.specialTokens = Map.copyOf(specialTokens);
    this.inVocabulary = inVocabulary;
    this.answerMarkers = answerMarkers;
  }

  /**
   * The template for a conversation, with tools or without, chosen as Hugging Face does: {@code
   * tool_use} for tools where there is one, else the default.
   */
  public ChatTemplate choose(boolean tools) {
    if (tools && sources.containsKey(FOR_TOOLS)) {
      return named(FOR_TOOLS);
    }
    if (sources.isEmpty()) {
      return once("", () -> ChatTemplate.fallback(inVocabulary, specialTokens));
    }
    return named(DEFAULT);
  }

  /** The template of that name. */
  public ChatTemplate named(String name) {
    String source = sources.get(name);
    if (source == null) {
      throw new EngineException(
          "the model has no chat template '"
              + name
              + "'; it has "
              + new TreeSet<>(sources.keySet()));
    }
    return once(name, () -> ChatTemplate.of(source, specialTokens, answerMarkers.apply(source)));
  }

  private synchronized ChatTemplate once(String name, Supplier<ChatTemplate> reading) {
    ChatTemplate known = read.get(name);
    if (known == null) {
      known = reading.get();
      read.put(name, known);
    }
    return known;
  }
}

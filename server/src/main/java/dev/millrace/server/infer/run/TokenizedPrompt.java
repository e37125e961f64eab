package dev.millrace.server.infer.run;

import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.server.infer.parameters.TaskPrompt;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A conversation as a model gets it.
 *
 * @param chat how it was rendered; null where the text was raw
 */
public record TokenizedPrompt(int[] tokens, PromptEncoder.@Nullable ChatPrompt chat) {

  /**
   * @param now the template's clock
   */
  public static TokenizedPrompt of(
      PromptEncoder prompts, TaskPrompt conversation, boolean thinking, Instant now) {
    if (conversation.raw() != null) {
      return new TokenizedPrompt(prompts.raw(conversation.raw()), null);
    }
    PromptEncoder.ChatPrompt chat =
        prompts.chat(
            conversation.messages(),
            conversation.tools(),
            Map.of("enable_thinking", thinking),
            now);
    return new TokenizedPrompt(chat.tokens(), chat);
  }

  /** The marks of thoughts in what follows; null where all of it is answer. */
  @Nullable String thoughtTags() {
    if (chat == null) {
      return null;
    }
    ReasoningSplitter.Tags tags = chat.template().reasoningTags();
    return tags.open() + " " + tags.close();
  }

  /** The answer, and apart from it what the model thought before; a raw text is all answer. */
  ReasoningSplitter.Parts splitThoughts(String text) {
    if (chat == null) {
      return new ReasoningSplitter.Parts("", text);
    }
    ReasoningSplitter thoughts =
        ReasoningSplitter.afterPrompt(chat.text(), chat.template().reasoningTags());
    ReasoningSplitter.Parts first = thoughts.feed(text);
    ReasoningSplitter.Parts last = thoughts.end();
    return new ReasoningSplitter.Parts(
        first.reasoning() + last.reasoning(), first.answer() + last.answer());
  }
}

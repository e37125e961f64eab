package dev.millrace.server.infer.run;

import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.chat.ReasoningSplitter;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.parameters.TaskPrompt;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The prompt of a task as tokens.
 *
 * @param chat the rendered chat template; null if the prompt is raw
 */
public record TokenizedPrompt(int[] tokens, PromptEncoder.@Nullable ChatPrompt chat) {

  /**
   * @param now the clock of the template
   * @throws TaskRefused if the prompt cannot be rendered
   */
  public static TokenizedPrompt of(
      PromptEncoder prompts, TaskPrompt prompt, boolean thinking, Instant now) {
    try {
      if (prompt.raw() != null) {
        return new TokenizedPrompt(prompts.raw(prompt.raw()), null);
      }
      PromptEncoder.ChatPrompt chat =
          prompts.chat(prompt.messages(), prompt.tools(), Map.of("enable_thinking", thinking), now);
      return new TokenizedPrompt(chat.tokens(), chat);
    } catch (EngineException e) {
      throw new TaskRefused(String.valueOf(e.getMessage()), e);
    }
  }

  /** The marks that separate thoughts from the answer; null if all output is answer. */
  @Nullable String thoughtTags() {
    if (chat == null) {
      return null;
    }
    ReasoningSplitter.Tags tags = chat.template().reasoningTags();
    return tags.open() + " " + tags.close();
  }

  /** Separates the answer from the thoughts; the output of a raw prompt is all answer. */
  ReasoningSplitter.Parts splitThoughts(String text) {
    if (chat == null) {
      return new ReasoningSplitter.Parts("", text);
    }
    ReasoningSplitter splitter =
        ReasoningSplitter.afterPrompt(chat.text(), chat.template().reasoningTags());
    ReasoningSplitter.Parts first = splitter.feed(text);
    ReasoningSplitter.Parts last = splitter.end();
    return new ReasoningSplitter.Parts(
        first.reasoning() + last.reasoning(), first.answer() + last.answer());
  }
}

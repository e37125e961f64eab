package dev.millrace.cli.run;

import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.chat.ReasoningSplitter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The prompt of {@code millrace run} as the model gets it. */
final class RunPrompt {
  private final int[] tokens;
  private final PromptEncoder.@Nullable ChatPrompt chat;

  private RunPrompt(int[] tokens, PromptEncoder.@Nullable ChatPrompt chat) {
    this.tokens = tokens;
    this.chat = chat;
  }

  static RunPrompt raw(PromptEncoder prompts, String prompt) {
    return new RunPrompt(prompts.raw(prompt), null);
  }

  static RunPrompt chat(
      PromptEncoder prompts, String prompt, @Nullable String system, Instant now) {
    List<Map<String, String>> messages = new ArrayList<>();
    if (system != null) {
      messages.add(Map.of("role", "system", "content", system));
    }
    messages.add(Map.of("role", "user", "content", prompt));
    PromptEncoder.ChatPrompt chat = prompts.chat(messages, null, Map.of(), now);
    return new RunPrompt(chat.tokens(), chat);
  }

  int[] tokens() {
    return tokens;
  }

  /** Separates the answer from the model's thoughts; a raw text is all answer. */
  ReasoningSplitter.Parts parts(String text) {
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

package dev.millrace.cli;

import dev.millrace.engine.Engine;
import dev.millrace.engine.Prompts;
import dev.millrace.engine.chat.Thoughts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What {@code millrace run} was asked, as the model gets it. */
final class Conversation {
  private final int[] tokens;
  private final Prompts.@Nullable Chat chat;

  private Conversation(int[] tokens, Prompts.@Nullable Chat chat) {
    this.tokens = tokens;
    this.chat = chat;
  }

  static Conversation of(
      Engine engine, String prompt, @Nullable String system, boolean raw, Instant now) {
    if (raw) {
      return new Conversation(engine.prompts().raw(prompt), null);
    }
    List<Map<String, String>> messages = new ArrayList<>();
    if (system != null) {
      messages.add(Map.of("role", "system", "content", system));
    }
    messages.add(Map.of("role", "user", "content", prompt));
    Prompts.Chat chat = engine.prompts().chat(messages, null, Map.of(), now);
    return new Conversation(chat.tokens(), chat);
  }

  int[] tokens() {
    return tokens;
  }

  /** The answer, and apart from it what the model thought before; a raw text is all answer. */
  Thoughts.Parts parts(String text) {
    if (chat == null) {
      return new Thoughts.Parts("", text);
    }
    Thoughts thoughts = Thoughts.after(chat.text(), chat.template().thoughtTags());
    Thoughts.Parts first = thoughts.feed(text);
    Thoughts.Parts last = thoughts.end();
    return new Thoughts.Parts(first.thoughts() + last.thoughts(), first.answer() + last.answer());
  }
}

package dev.millrace.server.infer;

import dev.millrace.engine.Prompts;
import dev.millrace.engine.chat.Thoughts;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A conversation as a model gets it.
 *
 * @param chat how it was rendered; null where the text was raw
 */
record Prompted(int[] tokens, Prompts.@Nullable Chat chat) {

  /**
   * @param now the template's clock
   */
  static Prompted of(Prompts prompts, Conversation conversation, boolean thinking, Instant now) {
    if (conversation.raw() != null) {
      return new Prompted(prompts.raw(conversation.raw()), null);
    }
    Prompts.Chat chat =
        prompts.chat(
            conversation.messages(),
            conversation.tools(),
            Map.of("enable_thinking", thinking),
            now);
    return new Prompted(chat.tokens(), chat);
  }

  /** The marks of thoughts in what follows; null where all of it is answer. */
  @Nullable String thoughtTags() {
    if (chat == null) {
      return null;
    }
    Thoughts.Tags tags = chat.template().thoughtTags();
    return tags.open() + " " + tags.close();
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

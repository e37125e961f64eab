package dev.millrace.http.openai.chat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.http.openai.answer.LogprobEntries;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.TokenLogprobs;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The log probabilities of the tokens of a choice's content: those of thoughts and of tool calls are
 * left out. A token whose text is held back counts with the text that it becomes part of.
 */
final class ContentLogprobs {
  private final boolean wanted;
  private final List<JsonObject> waiting = new ArrayList<>();
  private final List<JsonObject> content = new ArrayList<>();
  private int taken;

  ContentLogprobs(boolean wanted) {
    this.wanted = wanted;
  }

  void add(AnswerEvent.TokenChosen token) {
    TokenLogprobs logprobs = token.logprobs();
    if (wanted && logprobs != null) {
      waiting.add(LogprobEntries.entry(logprobs));
      settle(token.parts());
    }
  }

  /** The choice has ended with these parts. */
  void end(List<OutputPart> rest) {
    settle(rest);
    waiting.clear();
  }

  private void settle(List<OutputPart> parts) {
    if (parts.stream().anyMatch(OutputPart.Text.class::isInstance)) {
      content.addAll(waiting);
      waiting.clear();
    } else if (!parts.isEmpty()) {
      waiting.clear();
    }
  }

  /** All of them; null if they were not asked for. */
  @Nullable JsonObject all() {
    return wanted ? json(content) : null;
  }

  /** Those that were not taken yet; null if there are none. */
  @Nullable JsonObject takeNew() {
    List<JsonObject> fresh = List.copyOf(content.subList(taken, content.size()));
    taken = content.size();
    return fresh.isEmpty() ? null : json(fresh);
  }

  private static JsonObject json(List<JsonObject> entries) {
    return JsonObject.create().put("content", List.copyOf(entries)).put("refusal", null);
  }
}

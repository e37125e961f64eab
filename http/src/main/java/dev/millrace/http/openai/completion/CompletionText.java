package dev.millrace.http.openai.completion;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.openai.answer.LogprobEntries;
import dev.millrace.server.infer.direct.AnswerEnd;
import dev.millrace.server.infer.direct.AnswerEvent;
import dev.millrace.server.infer.direct.TokenLogprobs;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The text of one choice so far, and the log probabilities of its tokens. */
final class CompletionText {
  private final StringBuilder text = new StringBuilder();
  private final boolean wantsLogprobs;
  private final List<TokenLogprobs> tokens = new ArrayList<>();
  private final List<Integer> offsets = new ArrayList<>();
  private int taken;

  CompletionText(boolean wantsLogprobs) {
    this.wantsLogprobs = wantsLogprobs;
  }

  /** Adds a token; returns the text that became certain. */
  String add(AnswerEvent.TokenChosen token) {
    if (wantsLogprobs && token.logprobs() != null) {
      tokens.add(token.logprobs());
      offsets.add(text.length());
    }
    text.append(token.text());
    return token.text();
  }

  /** Ends it; returns the text that was held back. */
  String end(AnswerEnd end) {
    String rest = end.text().startsWith(text.toString()) ? end.text().substring(text.length()) : "";
    text.append(rest);
    while (tokens.size() > taken && offsets.getLast() >= text.length()) {
      tokens.removeLast(); // of a stop text, which is not part of the answer
      offsets.removeLast();
    }
    return rest;
  }

  String whole() {
    return text.toString();
  }

  /** The log probabilities of all tokens that were not taken yet; null if not asked for. */
  @Nullable JsonObject takeLogprobs() {
    if (!wantsLogprobs) {
      return null;
    }
    List<TokenLogprobs> fresh = tokens.subList(taken, tokens.size());
    JsonObject json =
        JsonObject.create()
            .put("tokens", fresh.stream().map(token -> token.chosen().text()).toList())
            .put(
                "token_logprobs",
                fresh.stream()
                    .map(token -> LogprobEntries.value(token.chosen().logprob()))
                    .toList())
            .put("top_logprobs", fresh.stream().map(CompletionText::top).toList())
            .put("text_offset", List.copyOf(offsets.subList(taken, tokens.size())));
    taken = tokens.size();
    return json;
  }

  /** The likeliest tokens by their text, and the chosen one. */
  private static JsonObject top(TokenLogprobs token) {
    JsonObject top = JsonObject.create();
    token.top().forEach(entry -> put(top, entry));
    put(top, token.chosen());
    return top;
  }

  /** The likelier of two tokens with the same text stays. */
  private static void put(JsonObject top, TokenLogprobs.Entry entry) {
    top.values().putIfAbsent(entry.text(), LogprobEntries.value(entry.logprob()));
  }
}

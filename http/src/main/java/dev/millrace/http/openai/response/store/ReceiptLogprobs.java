package dev.millrace.http.openai.response.store;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.AssistantOutputParser;
import dev.millrace.http.openai.answer.LogprobEntries;
import dev.millrace.http.openai.response.stream.ResponseEnd;
import dev.millrace.http.openai.response.stream.ResponseEvents;
import dev.millrace.http.openai.response.stream.ResponseHead;
import dev.millrace.http.openai.response.stream.ResponseStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the log probabilities in a receipt, which has one entry for each token. */
final class ReceiptLogprobs {
  private ReceiptLogprobs() {}

  /** Those of the tokens of the last item, if that is a message; in OpenAI's form. */
  static List<?> ofLastMessage(
      ResponseHead head, JsonObject receipt, AssistantOutputParser parser) {
    ResponseEvents events = new ResponseEvents(head, _ -> {});
    List<@Nullable Object> pieces = receipt.list("pieces");
    List<@Nullable Object> logprobs = receipt.list("logprobs");
    for (int i = 0; i < pieces.size(); i++) {
      events.token(
          parser.feed(String.valueOf(pieces.get(i))),
          i < logprobs.size() ? entry(logprobs.get(i)) : List.of());
    }
    JsonObject response =
        events.end(
            new ResponseEnd(ResponseStatus.COMPLETED, 0, null, null), parser.end(true), List.of());
    JsonObject last = JsonObject.of(response.list("output").getLast(), "an item");
    return "message".equals(last.get("type"))
        ? JsonObject.of(last.list("content").getFirst(), "a part").list("logprobs")
        : List.of();
  }

  /** An entry in OpenAI's form; none where an earlier attempt chose the token. */
  private static List<?> entry(@Nullable Object entry) {
    if (!(entry instanceof Map<?, ?>)) {
      return List.of();
    }
    JsonObject token = JsonObject.of(entry, "an entry");
    List<Object> top = new ArrayList<>();
    token.list("top").forEach(each -> top.add(token(JsonObject.of(each, "an entry")).values()));
    return List.of(token(token).put("top_logprobs", top).values());
  }

  private static JsonObject token(JsonObject entry) {
    return JsonObject.create()
        .put("token", entry.get("token"))
        .put("logprob", LogprobEntries.value((float) entry.number("logprob", 0)))
        .put("bytes", entry.get("bytes"));
  }
}

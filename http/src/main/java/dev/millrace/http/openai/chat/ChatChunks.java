package dev.millrace.http.openai.chat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.http.openai.answer.AnswerHead;
import dev.millrace.http.openai.answer.ChoiceReader;
import dev.millrace.http.openai.answer.FinishReason;
import dev.millrace.http.openai.answer.UsageTotal;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.direct.AnswerEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sends a chat completion as chunks, those of several choices interleaved as they come. */
final class ChatChunks implements ChoiceReader.Listener {
  private final AnswerHead head;
  private final ChatRequest request;
  private final EventStream events;
  private final UsageTotal usage;
  private final List<ContentLogprobs> logprobs = new ArrayList<>();
  private String model = "";

  ChatChunks(AnswerHead head, ChatRequest request, EventStream events) {
    this.head = head;
    this.request = request;
    this.events = events;
    this.usage = new UsageTotal(request.n());
    for (int i = 0; i < request.n(); i++) {
      logprobs.add(new ContentLogprobs(request.logprobs()));
    }
  }

  @Override
  public void accepted(int choice, String name) throws IOException {
    model = name;
    send(choice, JsonObject.create().put("role", "assistant").put("content", ""), null, null);
  }

  @Override
  public void token(int choice, AnswerEvent.TokenChosen token) throws IOException {
    logprobs.get(choice).add(token);
    send(choice, token.parts());
  }

  @Override
  public void ended(int choice, AnswerEvent.Ended ended) throws IOException {
    logprobs.get(choice).end(ended.end().rest());
    send(choice, ended.end().rest());
    send(choice, JsonObject.create(), null, FinishReason.of(ended.end()));
    usage.add(choice, ended.end().usage());
  }

  @Override
  public void finished() throws IOException {
    if (request.includeUsage()) {
      events.data(chunk(List.of()).put("usage", usage.json()));
    }
    events.data("[DONE]");
  }

  private void send(int choice, List<OutputPart> parts) throws IOException {
    for (OutputPart part : parts) {
      JsonObject delta = delta(part);
      if (delta != null) {
        boolean text = part instanceof OutputPart.Text;
        send(choice, delta, text ? logprobs.get(choice).takeNew() : null, null);
      }
    }
  }

  private static @Nullable JsonObject delta(OutputPart part) {
    return switch (part) {
      case OutputPart.Thought thought ->
          JsonObject.create().put("reasoning_content", thought.text());
      case OutputPart.Text text -> JsonObject.create().put("content", text.text());
      case OutputPart.CallBegan began ->
          call(
              JsonObject.create()
                  .put("index", began.index())
                  .put("id", AnswerHead.callId())
                  .put("type", "function"),
              JsonObject.create().put("name", began.name()).put("arguments", ""));
      case OutputPart.CallArguments arguments ->
          call(
              JsonObject.create().put("index", arguments.index()),
              JsonObject.create().put("arguments", arguments.json()));
      case OutputPart.CallEnded _ -> null;
    };
  }

  private static JsonObject call(JsonObject call, JsonObject function) {
    return JsonObject.create().put("tool_calls", List.of(call.put("function", function)));
  }

  private void send(
      int choice, JsonObject delta, @Nullable JsonObject scores, @Nullable String finish)
      throws IOException {
    JsonObject one =
        JsonObject.create()
            .put("index", choice)
            .put("delta", delta)
            .put("logprobs", scores)
            .put("finish_reason", finish);
    JsonObject chunk = chunk(List.of(one));
    events.data(request.includeUsage() ? chunk.put("usage", null) : chunk);
  }

  private JsonObject chunk(List<JsonObject> choices) {
    return head.json("chat.completion.chunk", model).put("choices", choices);
  }
}

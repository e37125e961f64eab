package dev.millrace.http.openai.chat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.toolcall.OutputPart;
import dev.millrace.http.openai.answer.AnswerHead;
import dev.millrace.http.openai.answer.ChoiceReader;
import dev.millrace.http.openai.answer.FinishReason;
import dev.millrace.http.openai.answer.UsageTotal;
import dev.millrace.server.infer.direct.AnswerEnd;
import dev.millrace.server.infer.direct.AnswerEvent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Collects a whole chat completion. */
final class ChatAnswer implements ChoiceReader.Listener {
  private final AnswerHead head;
  private final UsageTotal usage;
  private final List<Choice> choices = new ArrayList<>();
  private String model = "";

  ChatAnswer(AnswerHead head, ChatRequest request) {
    this.head = head;
    this.usage = new UsageTotal(request.n());
    for (int i = 0; i < request.n(); i++) {
      choices.add(new Choice(i, request.logprobs()));
    }
  }

  @Override
  public void accepted(int choice, String name) {
    model = name;
  }

  @Override
  public void token(int choice, AnswerEvent.TokenChosen token) {
    Choice at = choices.get(choice);
    at.logprobs.add(token);
    token.parts().forEach(at::add);
  }

  @Override
  public void ended(int choice, AnswerEvent.Ended ended) {
    AnswerEnd end = ended.end();
    Choice at = choices.get(choice);
    end.rest().forEach(at::add);
    at.logprobs.end(end.rest());
    at.finish = FinishReason.of(end);
    usage.add(choice, end.usage());
  }

  @Override
  public void finished() {}

  JsonObject json() {
    return head.json("chat.completion", model)
        .put("choices", choices.stream().map(Choice::json).toList())
        .put("usage", usage.json());
  }

  /** One choice so far. */
  private static final class Choice {
    private final int index;
    private final ContentLogprobs logprobs;
    private final StringBuilder thoughts = new StringBuilder();
    private final StringBuilder content = new StringBuilder();
    private final List<Call> calls = new ArrayList<>(); // those that are complete
    private @Nullable Call open;
    private @Nullable String finish;

    private record Call(String id, String name, StringBuilder arguments) {
      JsonObject json() {
        JsonObject function =
            JsonObject.create().put("name", name).put("arguments", arguments.toString());
        return JsonObject.create().put("id", id).put("type", "function").put("function", function);
      }
    }

    Choice(int index, boolean logprobs) {
      this.index = index;
      this.logprobs = new ContentLogprobs(logprobs);
    }

    void add(OutputPart part) {
      switch (part) {
        case OutputPart.Thought thought -> thoughts.append(thought.text());
        case OutputPart.Text text -> content.append(text.text());
        case OutputPart.CallBegan began ->
            open = new Call(AnswerHead.callId(), began.name(), new StringBuilder());
        case OutputPart.CallArguments more when open != null -> open.arguments.append(more.json());
        case OutputPart.CallEnded _ when open != null -> calls.add(open);
        case OutputPart.CallArguments _, OutputPart.CallEnded _ ->
            throw new IllegalStateException("a part of a call that has not begun");
      }
    }

    JsonObject json() {
      JsonObject message =
          JsonObject.create()
              .put("role", "assistant")
              .put("content", content.isEmpty() && !calls.isEmpty() ? null : content.toString())
              .put("refusal", null);
      if (!thoughts.isEmpty()) {
        message.put("reasoning_content", thoughts.toString());
      }
      if (!calls.isEmpty()) {
        message.put("tool_calls", calls.stream().map(Call::json).toList());
      }
      return JsonObject.create()
          .put("index", index)
          .put("message", message)
          .put("logprobs", logprobs.all())
          .put("finish_reason", finish);
    }
  }
}

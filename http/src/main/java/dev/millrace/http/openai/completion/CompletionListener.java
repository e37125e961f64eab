package dev.millrace.http.openai.completion;

import dev.millrace.core.json.JsonObject;
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

/** Sends completions as chunks, or collects them if there is no stream. */
final class CompletionListener implements ChoiceReader.Listener {
  private final AnswerHead head;
  private final CompletionRequest request;
  private final List<String> echoes;
  private final @Nullable EventStream events;
  private final UsageTotal usage;
  private final List<CompletionText> texts = new ArrayList<>();
  private final List<@Nullable String> finishes = new ArrayList<>();
  private String model = "";

  /**
   * @param echoes what the text of each choice begins with
   * @param events null: the answer is collected
   */
  CompletionListener(
      AnswerHead head,
      CompletionRequest request,
      List<String> echoes,
      @Nullable EventStream events) {
    this.head = head;
    this.request = request;
    this.echoes = echoes;
    this.events = events;
    this.usage = new UsageTotal(request.n());
    for (int i = 0; i < request.choiceCount(); i++) {
      texts.add(new CompletionText(request.logprobs() != null));
      finishes.add(null);
    }
  }

  @Override
  public void accepted(int choice, String name) throws IOException {
    model = name;
    if (request.echo()) {
      send(choice, echoes.get(choice), null);
    }
  }

  @Override
  public void token(int choice, AnswerEvent.TokenChosen token) throws IOException {
    String text = texts.get(choice).add(token);
    if (!text.isEmpty()) {
      send(choice, text, null);
    }
  }

  @Override
  public void ended(int choice, AnswerEvent.Ended ended) throws IOException {
    String rest = texts.get(choice).end(ended.end());
    String finish = FinishReason.of(ended.end());
    finishes.set(choice, finish);
    usage.add(choice, ended.end().usage());
    send(choice, rest, finish);
  }

  @Override
  public void finished() throws IOException {
    if (events == null) {
      return;
    }
    if (request.includeUsage()) {
      events.data(answer(List.of()).put("usage", usage.json()));
    }
    events.data("[DONE]");
  }

  private void send(int choice, String text, @Nullable String finish) throws IOException {
    if (events != null) {
      JsonObject chunk = answer(List.of(choice(choice, text, finish)));
      events.data(request.includeUsage() ? chunk.put("usage", null) : chunk);
    }
  }

  private JsonObject choice(int choice, String text, @Nullable String finish) {
    return JsonObject.create()
        .put("text", text)
        .put("index", choice)
        .put("logprobs", texts.get(choice).takeLogprobs())
        .put("finish_reason", finish);
  }

  private JsonObject answer(List<JsonObject> choices) {
    return head.json("text_completion", model).put("choices", choices);
  }

  /** The whole answer. */
  JsonObject json() {
    List<JsonObject> choices = new ArrayList<>();
    for (int i = 0; i < texts.size(); i++) {
      String text = texts.get(i).whole();
      choices.add(choice(i, request.echo() ? echoes.get(i) + text : text, finishes.get(i)));
    }
    return answer(choices).put("usage", usage.json());
  }
}

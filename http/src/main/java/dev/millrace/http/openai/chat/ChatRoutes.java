package dev.millrace.http.openai.chat;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openai.answer.AnswerHead;
import dev.millrace.http.openai.answer.ChoiceReader;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import dev.millrace.server.infer.direct.DirectRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The routes of chat: completions, and the prompt that a template makes of messages. */
public final class ChatRoutes {
  private final InferenceAccess models;
  private final Clock clock;
  private final Duration keepAlive;

  /**
   * @param keepAlive the longest silence of a stream
   */
  public ChatRoutes(InferenceAccess models, Clock clock, Duration keepAlive) {
    this.models = models;
    this.clock = clock;
    this.keepAlive = keepAlive;
  }

  public List<Route> routes() {
    return List.of(
        new Route(
            "POST",
            "/v1/chat/completions",
            "createChatCompletion",
            KeyScope.SUBMIT,
            this::complete),
        new Route("POST", "/apply-template", "applyTemplate", KeyScope.SUBMIT, this::apply));
  }

  private ApiResponse complete(ApiRequest call) throws InterruptedException {
    JsonObject body = call.bodyObject();
    ChatRequest request = ChatRequest.of(body);
    Instant now = clock.instant();
    AnswerHead head = AnswerHead.of("chatcmpl-", now, request.tier());
    ChoiceReader reader =
        new ChoiceReader(models.require()::generate, ClientFields.chat(body), keepAlive);
    List<DirectRequest> choices = request.choices(now);
    if (request.stream()) {
      return reader.stream(call, choices, events -> new ChatChunks(head, request, events));
    }
    ChatAnswer answer = new ChatAnswer(head, request);
    reader.collect(call, choices, answer);
    return ApiResponse.ok(answer.json());
  }

  /** As llama-server has it: the body of a chat completion, of which the prompt is made. */
  private ApiResponse apply(ApiRequest call) {
    JsonObject data = ChatRequest.data(call.bodyObject());
    return ApiResponse.ok(JsonObject.create().put("prompt", models.require().applyTemplate(data)));
  }
}

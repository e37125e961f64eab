package dev.millrace.http.openai.completion;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openai.answer.AnswerHead;
import dev.millrace.http.openai.answer.ChoiceReader;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.request.GenerateData;
import dev.millrace.http.openai.request.TokenIds;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.direct.DirectRequest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The route of completions: the model goes on with a prompt, without a template. */
public final class CompletionRoutes {
  private final InferenceAccess models;
  private final Clock clock;
  private final Duration keepAlive;

  /**
   * @param keepAlive the longest silence of a stream
   */
  public CompletionRoutes(InferenceAccess models, Clock clock, Duration keepAlive) {
    this.models = models;
    this.clock = clock;
    this.keepAlive = keepAlive;
  }

  public List<Route> routes() {
    return List.of(
        new Route("POST", "/v1/completions", "createCompletion", KeyScope.SUBMIT, this::complete));
  }

  private ApiResponse complete(ApiRequest call) throws InterruptedException {
    JsonObject body = call.bodyObject();
    CompletionRequest request = CompletionRequest.of(body);
    Instant now = clock.instant();
    AnswerHead head = AnswerHead.of("cmpl-", now, request.tier());
    DirectInference inference = models.require();
    requireTokens(body.get("prompt"), "prompt", inference, GenerateData.model(body));
    ChoiceReader reader =
        new ChoiceReader(inference::generate, ClientFields.raw(body, "prompt"), keepAlive);
    List<DirectRequest> choices = request.choices(now);
    List<String> echoes = request.echo() ? echoes(request, inference) : List.of();
    if (request.stream()) {
      return reader.stream(
          call, choices, events -> new CompletionListener(head, request, echoes, events));
    }
    CompletionListener answer = new CompletionListener(head, request, echoes, null);
    reader.collect(call, choices, answer);
    return ApiResponse.ok(answer.json());
  }

  /** Before anything is sent: the second prompt may be wrong when the first one is streamed. */
  private static void requireTokens(
      @Nullable Object prompt, String field, DirectInference inference, @Nullable String model) {
    if (prompt instanceof List<?> list) {
      TokenIds.require(list, field, inference, model);
      for (int i = 0; i < list.size(); i++) {
        requireTokens(list.get(i), field + "[" + i + "]", inference, model);
      }
    }
  }

  private static List<String> echoes(CompletionRequest request, DirectInference inference) {
    String model = request.data().string("model", null);
    List<String> echoes = new ArrayList<>();
    for (JsonObject prompt : request.prompts()) {
      int[] tokens = CompletionPrompts.tokens(prompt);
      String text =
          tokens == null ? prompt.string("prompt") : inference.detokenize(model, tokens, false);
      for (int i = 0; i < request.n(); i++) {
        echoes.add(text);
      }
    }
    return echoes;
  }
}

package dev.millrace.http.openai;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.openai.chat.ChatRoutes;
import dev.millrace.http.openai.completion.CompletionRoutes;
import dev.millrace.http.openai.model.EmbeddingRoutes;
import dev.millrace.http.openai.model.ModelRoutes;
import dev.millrace.http.openai.model.TokenRoutes;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.response.ResponseRoutes;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.stream.EventStream;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * OpenAI's API below {@code /v1}, beside the one of Jobnik, and the paths for tokens that
 * llama-server has. A request runs at once, before the tasks of the queue.
 */
public final class OpenAiRouteGroup implements RouteGroup {
  private final @Nullable ResponseRoutes responses;
  private final List<Route> routes = new ArrayList<>();

  /** Without responses. */
  OpenAiRouteGroup(InferenceAccess models) {
    this(models, null, EventStream.KEEP_ALIVE_INTERVAL);
  }

  /**
   * @param responses the routes of responses; closed with this
   */
  public OpenAiRouteGroup(InferenceAccess models, ResponseRoutes responses) {
    this(models, responses, EventStream.KEEP_ALIVE_INTERVAL);
  }

  /**
   * @param keepAlive the longest silence of a stream
   */
  OpenAiRouteGroup(InferenceAccess models, @Nullable ResponseRoutes responses, Duration keepAlive) {
    this.responses = responses;
    Clock clock = Clock.systemUTC();
    routes.addAll(new ModelRoutes(models).routes());
    routes.addAll(new ChatRoutes(models, clock, keepAlive).routes());
    routes.addAll(new CompletionRoutes(models, clock, keepAlive).routes());
    routes.addAll(new EmbeddingRoutes(models).routes());
    routes.addAll(new TokenRoutes(models).routes());
    if (responses != null) {
      routes.addAll(responses.routes());
    }
    routes.replaceAll(OpenAiRouteGroup::translateErrors);
  }

  /** What a model refuses becomes an error of this API. */
  private static Route translateErrors(Route route) {
    return new Route(
        route.method(),
        route.path(),
        route.operationId(),
        route.scope(),
        request -> handle(route.handler(), request));
  }

  private static ApiResponse handle(Route.Handler handler, ApiRequest request)
      throws InterruptedException {
    try {
      return handler.handle(request);
    } catch (RuntimeException e) {
      ClientFields fields = ClientFields.of(request.path(), request.body());
      throw (RuntimeException) OpenAiError.translate(e, fields);
    }
  }

  @Override
  public String prefix() {
    return "/v1";
  }

  /** Also paths below {@code /v1} that no group has: clients of OpenAI's API ask for them. */
  @Override
  public List<String> prefixes() {
    return List.of(prefix(), "/tokenize", "/detokenize", "/apply-template");
  }

  @Override
  public List<Route> routes() {
    return List.copyOf(routes);
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    return OpenAiError.body(problem);
  }

  @Override
  public Map<String, String> rateHeaders(int burst, long remaining, Duration untilFull) {
    return Map.of(
        "x-ratelimit-limit-requests",
        Integer.toString(burst),
        "x-ratelimit-remaining-requests",
        Long.toString(remaining),
        "x-ratelimit-reset-requests",
        duration(untilFull));
  }

  /** As OpenAI writes it: {@code 12ms}, {@code 3s}, {@code 6m0s}. */
  private static String duration(Duration time) {
    long seconds = time.toSeconds();
    if (seconds == 0) {
      return time.toMillis() + "ms";
    }
    return (seconds < 60 ? "" : seconds / 60 + "m") + seconds % 60 + "s";
  }

  @Override
  public void close() {
    if (responses != null) {
      responses.close();
    }
  }
}

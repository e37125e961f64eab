package dev.millrace.http.openai.response;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.job.JobSignals;
import dev.millrace.http.openai.request.OpenAiError;
import dev.millrace.http.openai.response.store.ResponseExpiry;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.openai.response.store.StoredResponse;
import dev.millrace.http.openai.response.store.UnendedResponses;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.server.infer.run.StoredOutputFormat;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The routes of the Responses API. */
public final class ResponseRoutes implements AutoCloseable {
  private static final String PATH = "/v1/responses";
  private static final String ONE = PATH + "/{response_id}";
  private static final Duration USUAL_TIME = Duration.ofDays(30);

  private final ResponseBackend backend;
  private final ResponseCreation creation;
  private final ResponseExpiry expiry;
  private final UnendedResponses unended;

  private ResponseRoutes(ResponseBackend backend, ResponseExpiry expiry, UnendedResponses unended) {
    this.backend = backend;
    this.creation = new ResponseCreation(backend);
    this.expiry = expiry;
    this.unended = unended;
  }

  /**
   * The routes over the jobs of a store. Close them before it.
   *
   * @param urgent lets a job start at once, without a free slot
   * @param keep how long responses are kept; 0: none is stored
   */
  public static ResponseRoutes over(
      JobStore store, InferenceAccess models, Consumer<JobId> urgent, Duration keep) {
    ResponseStore responses = new ResponseStore(store, StoredOutputFormat::parser);
    ResponseBackend backend =
        new ResponseBackend(
            responses,
            new JobSignals(store),
            models,
            urgent,
            InstantSource.system(),
            !keep.isZero());
    // What was stored before is deleted also by a server that stores nothing.
    return new ResponseRoutes(
        backend,
        ResponseExpiry.start(store, responses, keep.isZero() ? USUAL_TIME : keep),
        new UnendedResponses(store));
  }

  /** Lets the responses start that an earlier server has not finished. Call it once. */
  public void startUnended() {
    unended.startSoon(backend.urgent());
  }

  public List<Route> routes() {
    return List.of(
        new Route("POST", PATH, "createResponse", KeyScope.SUBMIT, creation::create),
        new Route(
            "POST",
            PATH + "/input_tokens",
            "countResponseInputTokens",
            KeyScope.SUBMIT,
            creation::countTokens),
        new Route("GET", ONE, "getResponse", KeyScope.READ, this::get),
        new Route("DELETE", ONE, "deleteResponse", KeyScope.SUBMIT, this::delete),
        new Route("POST", ONE + "/cancel", "cancelResponse", KeyScope.SUBMIT, this::cancel),
        new Route(
            "GET",
            ONE + "/input_items",
            "listResponseInputItems",
            KeyScope.READ,
            this::inputItems));
  }

  private ApiResponse get(ApiRequest call) {
    StoredResponse response = require(call);
    boolean stream = call.query("stream").map("true"::equals).orElse(false);
    if (stream) {
      long after = call.query("starting_after").map(Long::valueOf).orElse(-1L);
      return new StoredResponseStream(backend, call::isClientGone, response, after).toResponse();
    }
    if (call.query("starting_after").isPresent()) {
      throw OpenAiError.invalid("starting_after", "needs stream=true");
    }
    return ApiResponse.ok(backend.responses().read(response).orElseThrow(() -> missing(call)));
  }

  private ApiResponse delete(ApiRequest call) {
    StoredResponse response = require(call);
    if (!backend.responses().delete(response)) {
      throw new Problem(
          Problem.Kind.CONFLICT, "the response is being changed by others; try again");
    }
    return ApiResponse.ok(
        JsonObject.create()
            .put("id", response.head().ids().response())
            .put("object", "response")
            .put("deleted", true));
  }

  private ApiResponse cancel(ApiRequest call) {
    StoredResponse response = require(call);
    if (!response.head().background()) {
      throw OpenAiError.invalid(
          "response_id",
          "names a response that was not made in the background: it cannot be"
              + " cancelled; delete it instead");
    }
    if (!backend.responses().hasEnded(response)) {
      backend.responses().cancel(response);
    }
    return ApiResponse.ok(backend.responses().read(response).orElseThrow(() -> missing(call)));
  }

  private ApiResponse inputItems(ApiRequest call) {
    return ApiResponse.ok(ItemPage.of(backend.responses().inputItems(require(call)), call));
  }

  /** The caller's own response: those of other keys do not exist for it. */
  private StoredResponse require(ApiRequest call) {
    return backend
        .responses()
        .find(call.pathParameter("response_id"), call.principal().name())
        .orElseThrow(() -> missing(call));
  }

  private static Problem missing(ApiRequest call) {
    return new Problem(
        Problem.Kind.NOT_FOUND,
        null,
        "response \"%s\" is not found".formatted(call.pathParameter("response_id")),
        null,
        Map.of());
  }

  @Override
  public void close() {
    unended.close();
    expiry.close();
    backend.signals().close();
  }
}

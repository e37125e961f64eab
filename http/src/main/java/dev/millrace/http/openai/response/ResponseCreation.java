package dev.millrace.http.openai.response;

import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.inference.ChoiceStream;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.job.JobSignals.Watch;
import dev.millrace.http.openai.request.ClientFields;
import dev.millrace.http.openai.response.request.ResponseRequest;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.openai.response.store.StoredResponse;
import dev.millrace.http.openai.response.stream.ResponseHead;
import dev.millrace.http.openai.response.stream.ResponseStatus;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.direct.DirectRequest;
import dev.millrace.server.infer.direct.ServedModel;
import dev.millrace.server.infer.parameters.TaskRefused;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Makes responses: stored ones as jobs, others while the client waits. */
final class ResponseCreation {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(1);

  private final ResponseBackend backend;

  ResponseCreation(ResponseBackend backend) {
    this.backend = backend;
  }

  /** A request whose input is whole, fits, and names a model. */
  private record Prepared(
      JobId job,
      ResponseRequest request,
      List<Map<String, @Nullable Object>> items,
      Instant now,
      JsonObject data) {

    ResponseHead head() {
      JsonObject fields = JsonObject.create().put("model", data.get("model"));
      fields.values().putAll(request.fields().values());
      return new ResponseHead(
          StoredResponse.ids(job), now.getEpochSecond(), request.delivery().background(), fields);
    }
  }

  /** {@code POST /v1/responses}. */
  ApiResponse create(ApiRequest call) throws InterruptedException {
    DirectInference models = backend.models().require();
    Prepared prepared = prepare(call, models);
    if (prepared.request.delivery().stream()) {
      call.reserveStream(); // before a response is stored that its client would create again
    }
    return prepared.request.delivery().store()
        ? store(call, prepared)
        : run(call, prepared, models);
  }

  /** {@code POST /v1/responses/input_tokens}. */
  ApiResponse countTokens(ApiRequest call) {
    DirectInference models = backend.models().require();
    JobId job = Work.generateId();
    ResponseRequest request =
        ResponseRequest.of(call.bodyObject(), StoredResponse.ids(job), backend.storable());
    List<Map<String, @Nullable Object>> items = input(call).of(request);
    JsonObject data = request.taskData(items).put("model", model(models, request).name());
    return ApiResponse.ok(
        JsonObject.create()
            .put("object", "response.input_tokens")
            .put("input_tokens", (long) models.countPromptTokens(data)));
  }

  private ResponseInput input(ApiRequest call) {
    return new ResponseInput(backend.responses(), call.principal().name());
  }

  private Prepared prepare(ApiRequest call, DirectInference models) throws InterruptedException {
    JobId job = Work.generateId();
    ResponseRequest request =
        ResponseRequest.of(call.bodyObject(), StoredResponse.ids(job), backend.storable());
    List<Map<String, @Nullable Object>> items = input(call).of(request);
    ServedModel model = model(models, request);
    ContextFit fit =
        new ContextFit(
            data -> models.countPromptTokens(data.put("model", model.name())), model.context());
    boolean checked = request.delivery().store() || request.truncates(); // else the model checks it
    List<Map<String, @Nullable Object>> fitting = checked ? fit.fit(request, items) : items;
    JsonObject data = request.taskData(fitting).put("model", model.name());
    if (request.delivery().store()) {
      models.requireRunnable(data);
    }
    if (!request.delivery().background()) {
      models.requireReady(model.name());
    }
    return new Prepared(job, request, fitting, backend.clock().instant(), data);
  }

  private static ServedModel model(DirectInference models, ResponseRequest request) {
    List<ServedModel> served = models.models().stream().filter(ServedModel::generates).toList();
    String asked = request.model();
    if ((asked == null || asked.equals("default")) && !served.isEmpty()) {
      return served.getFirst();
    }
    if (asked == null) {
      throw new Problem(Problem.Kind.NOT_FOUND, "no model that generates text is served here");
    }
    String name = TaskRefused.requireServed(asked, served.stream().map(ServedModel::name).toList());
    return served.stream().filter(model -> model.name().equals(name)).findFirst().orElseThrow();
  }

  private ApiResponse run(ApiRequest call, Prepared prepared, DirectInference models)
      throws InterruptedException {
    boolean interactive = !prepared.request.delivery().flex();
    ChoiceStream answer =
        ChoiceStream.start(
            models::generate,
            List.of(new DirectRequest(prepared.data, 0, prepared.now, interactive)));
    ClientWatch client = new ClientWatch(call, EventStream.KEEP_ALIVE_INTERVAL, System::nanoTime);
    UnstoredResponse response =
        new UnstoredResponse(
            prepared.head(),
            answer,
            client,
            backend.clock(),
            ClientFields.response(call.bodyObject()));
    if (!prepared.request.delivery().stream()) {
      return ApiResponse.ok(response.await());
    }
    boolean handedOver = false;
    try {
      response.requireAccepted();
      ApiResponse stream = EventStream.response(response::write, answer::close);
      handedOver = true;
      return stream;
    } finally {
      if (!handedOver) {
        answer.close(); // also for a client that has left meanwhile
      }
    }
  }

  private ApiResponse store(ApiRequest call, Prepared prepared) throws InterruptedException {
    ResponseRequest.Delivery delivery = prepared.request.delivery();
    StoredResponse response =
        new StoredResponse(prepared.job, call.principal().name(), delivery.flex(), prepared.head());
    try (Watch watch = backend.signals().watch(prepared.job)) {
      backend
          .responses()
          .submit(
              new ResponseStore.Submission(
                  response,
                  prepared.items,
                  prepared.data,
                  call.traceOrNew(),
                  call.principal().keyName()));
      if (!delivery.flex()) {
        backend.urgent().accept(prepared.job);
      }
      if (delivery.stream()) {
        return new StoredResponseStream(backend, call::isClientGone, response, -1).toResponse();
      }
      return ApiResponse.ok(
          delivery.background()
              ? response.head().response(ResponseStatus.QUEUED)
              : await(call, response, watch));
    }
  }

  /** Waits for the end of a stored response, which does not depend on its client. */
  private JsonObject await(ApiRequest call, StoredResponse response, Watch watch)
      throws InterruptedException {
    while (!backend.responses().hasEnded(response) && !call.isClientGone()) {
      watch.await(LOOK_AGAIN);
    }
    Optional<JsonObject> now = backend.responses().read(response);
    return now.orElseThrow(
        () -> new Problem(Problem.Kind.NOT_FOUND, "the response was deleted while it was made"));
  }
}

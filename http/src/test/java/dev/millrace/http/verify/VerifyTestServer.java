package dev.millrace.http.verify;

import dev.millrace.core.event.Cause;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.task.TaskResult;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.openapi.DocumentedResponseCheck;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The operation over real sockets, on a store in memory. Answers are checked by the document. */
final class VerifyTestServer implements AutoCloseable {
  static final JsonObject TERMS = JsonObject.create().put("model", "tiny");

  final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC()));
  final VerifierAccess models = new VerifierAccess();
  final HttpService service;
  private final DocumentedResponseCheck document = new DocumentedResponseCheck();
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  VerifyTestServer(Duration keepAlive) {
    IdResolver ids = new IdResolver(store);
    JobnikRouteGroup jobnik =
        new JobnikRouteGroup(
            store, ids, new IdempotentSubmitter(store, Clock.systemUTC()), _ -> {}, Backoff.NONE);
    jobnik.add(new VerifyRoute(new EntityLookup(store, ids), models, keepAlive).routes());
    service = HttpService.open(HttpSettings.loopback(0), List.of(jobnik));
  }

  /** A task that waits. */
  UUID waiting(String type) {
    JobId job =
        store.submit(
            JobSpec.of(
                List.of(StageSpec.builder(type).tasks(List.of(TaskSpec.of("once upon"))).build())));
    return new EntityId(job, 1, 1).uuid();
  }

  /** A task that was completed, with terms in its log if a model is said to have made it. */
  UUID completed(String type, boolean withTerms) {
    UUID task = waiting(type);
    Claim claim = store.claim(new ClaimRequest(Set.of(type), 1, "w", null)).getFirst();
    if (withTerms) {
      store.freeze(claim, TERMS);
    }
    store.complete(claim, TaskResult.of("a time"));
    return task;
  }

  UUID aborted(String type) {
    UUID task = waiting(type);
    store.abort(EntityId.of(task).orElseThrow().job(), Cause.user("test", null));
    return task;
  }

  HttpRequest request(UUID task) {
    return HttpRequest.newBuilder(address(task)).POST(BodyPublishers.noBody()).build();
  }

  private URI address(UUID task) {
    return service.uri().resolve("/v1/tasks/" + task + "/verify");
  }

  HttpResponse<String> verify(UUID task) throws Exception {
    return checked(client.send(request(task), BodyHandlers.ofString()));
  }

  CompletableFuture<HttpResponse<String>> begin(UUID task) {
    return client.sendAsync(request(task), BodyHandlers.ofString()).thenApply(this::checked);
  }

  private HttpResponse<String> checked(HttpResponse<String> response) {
    document.check(
        "verifyTask",
        response.statusCode(),
        response.headers().firstValue("Content-Type").orElse(null),
        response.body());
    return response;
  }

  @Override
  public void close() {
    service.close();
    client.close();
    store.close();
  }
}

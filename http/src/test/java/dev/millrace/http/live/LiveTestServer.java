package dev.millrace.http.live;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.server.Server;
import dev.millrace.server.ServerBuilder;
import dev.millrace.server.Worker;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** The live routes and Jobnik's, over sockets, on a store with a server and its workers. */
final class LiveTestServer implements AutoCloseable {
  /** Short, so that no test waits for it. */
  static final Duration INTERVAL = Duration.ofMillis(10);

  final JobStore store;
  final Server server;
  final LiveRouteGroup live;
  final HttpService service;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  LiveTestServer(Worker... workers) {
    this(
        new MemoryStoreFixture().open(ContractSettings.steady(Clock.systemUTC())),
        HttpSettings.loopback(0),
        ProcessClock.system(),
        workers);
  }

  LiveTestServer(JobStore store, HttpSettings settings, ProcessClock clock, Worker... workers) {
    this.store = store;
    ServerBuilder builder = Server.builder(store).name("here").slots(100);
    Arrays.stream(workers).forEach(builder::worker);
    server = builder.build().start();
    IdResolver ids = new IdResolver(store);
    live =
        LiveRouteGroup.unstarted(
            store, ids, new ServerAccess(() -> server, () -> null), clock, INTERVAL);
    JobnikRouteGroup jobnik =
        new JobnikRouteGroup(
            store, ids, new IdempotentSubmitter(store, clock), _ -> {}, Backoff.NONE);
    service = HttpService.open(settings, List.of(jobnik, live));
  }

  /** A job of one stage. */
  JobId submit(String name, String type, String... inputs) {
    List<TaskSpec> tasks = Arrays.stream(inputs).map(TaskSpec::of).toList();
    return submit(name, StageSpec.of(type, tasks));
  }

  JobId submit(String name, StageSpec... stages) {
    return store.submit(JobSpec.builder().name(name).stages(List.of(stages)).build());
  }

  /** The first task of a job. */
  static String task(JobId job) {
    return new EntityId(job, 1, 1).uuid().toString();
  }

  EventReader events(String path, String... headers) throws IOException, InterruptedException {
    return new EventReader(send(path, headers));
  }

  EventReader output(JobId job, String... headers) throws IOException, InterruptedException {
    return events("/v1/tasks/" + task(job) + "/output", headers);
  }

  HttpResponse<Stream<String>> send(String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(service.uri().resolve(URI.create(path)));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return client.send(request.build(), BodyHandlers.ofLines());
  }

  /** The answer to a request for JSON. */
  JsonObject json(String path) throws IOException, InterruptedException {
    return Json.object(String.join("\n", send(path).body().toList()));
  }

  @Override
  public void close() {
    client.shutdownNow();
    service.close();
    try {
      server.stopNow();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      store.close();
    }
  }
}

package dev.millrace.http.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.tracing.OtlpCollector.Seen;
import dev.millrace.server.InMemoryServer;
import dev.millrace.server.Worker;
import dev.millrace.server.exec.ExecWorker;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OtlpTracingTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final int SERVER = 2;
  private static final int CONSUMER = 5;

  private static JobSpec job(@Nullable TraceContext trace, TaskSpec task) {
    return JobSpec.builder()
        .stages(List.of(StageSpec.of("run", List.of(task))))
        .trace(trace)
        .build();
  }

  /** Submits a job for each request, and returns its id. */
  private record SubmittingGroup(InMemoryServer inMemory) implements RouteGroup {
    @Override
    public String prefix() {
      return "/t";
    }

    @Override
    public List<Route> routes() {
      return List.of(
          new Route(
              "GET",
              "/t/{name}",
              "test",
              KeyScope.READ,
              request ->
                  ApiResponse.ok(
                      inMemory.store.submit(job(request.trace(), TaskSpec.of("x"))).value())));
    }

    @Override
    public JsonObject error(Problem problem, String requestId) {
      return JsonObject.create().put("message", problem.text());
    }
  }

  private static JobId ask(HttpService service, String @Nullable ... fields) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(service.uri().resolve("/t/some"));
    if (fields != null && fields.length > 0) {
      request.headers(fields);
    }
    try (HttpClient client = HttpClient.newHttpClient()) {
      String body = client.send(request.build(), BodyHandlers.ofString()).body();
      return new JobId(body.replace("\"", ""));
    }
  }

  /** Waits, because a response is sent and a job ends before its span ends. */
  private static void awaitSpans(OtlpTracing tracing, OtlpCollector collector, int count) {
    await()
        .until(
            () -> {
              tracing.flush();
              return collector.spans.size() >= count;
            });
  }

  @Test
  void requestTaskAndProgramShareOneTrace() throws Exception {
    try (OtlpCollector collector = new OtlpCollector();
        InMemoryServer inMemory = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(collector.uri())) {
      ExecWorker worker = new ExecWorker("run", "printf %s \"$TRACEPARENT $TRACESTATE\"");
      inMemory.start(inMemory.builder(worker).listener(tracing.taskListener(inMemory.store)));
      RequestObserver requests = tracing.requestObserver();
      String printed;
      try (HttpService service =
          HttpService.open(
              HttpSettings.loopback(0),
              List.of(new SubmittingGroup(inMemory)),
              List.of(requests))) {
        JobId id =
            ask(service, "traceparent", "00-" + TRACE + "-" + SPAN + "-01", "tracestate", "a=b");
        printed = inMemory.await(id).result();
      }
      awaitSpans(tracing, collector, 2);
      assertThat(collector.paths)
          .allMatch(path -> path.equals("/v1/traces application/x-protobuf"));
      Seen request = collector.named("GET /t/{name}");
      Seen task = collector.named("process run");
      assertThat(request.trace()).isEqualTo(TRACE);
      assertThat(request.parent()).isEqualTo(SPAN);
      assertThat(request.kind()).isEqualTo(SERVER);
      assertThat(task.trace()).isEqualTo(TRACE);
      assertThat(task.parent()).isEqualTo(request.span());
      assertThat(task.kind()).isEqualTo(CONSUMER);
      assertThat(printed).isEqualTo("00-" + TRACE + "-" + task.span() + "-01 a=b");
      assertThat(((RequestSpans) requests).open()).isZero();
    }
  }

  @Test
  void requestWithoutATraceStartsOne() throws Exception {
    try (OtlpCollector collector = new OtlpCollector();
        InMemoryServer inMemory = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(collector.uri())) {
      inMemory.start(
          inMemory
              .builder(Worker.of("run", _ -> "done"))
              .listener(tracing.taskListener(inMemory.store)));
      try (HttpService service =
          HttpService.open(
              HttpSettings.loopback(0),
              List.of(new SubmittingGroup(inMemory)),
              List.of(tracing.requestObserver()))) {
        inMemory.await(ask(service));
      }
      awaitSpans(tracing, collector, 2);
      Seen request = collector.named("GET /t/{name}");
      assertThat(request.parent()).isEmpty();
      assertThat(collector.named("process run").trace()).isEqualTo(request.trace());
      assertThat(collector.named("process run").parent()).isEqualTo(request.span());
    }
  }

  @Test
  void taskWithItsOwnTraceIsLinkedWithTheJobs() throws Exception {
    try (OtlpCollector collector = new OtlpCollector();
        InMemoryServer inMemory = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(collector.uri())) {
      inMemory.start(
          inMemory
              .builder(Worker.of("run", _ -> "done"))
              .listener(tracing.taskListener(inMemory.store)));
      TraceContext ofJob = new TraceContext("00-" + TRACE + "-" + SPAN + "-01", null);
      String other = "aaf92f3577b34da6a3ce929d0e0e4736";
      TraceContext own = new TraceContext("00-" + other + "-" + SPAN + "-01", null);
      JobId id =
          inMemory.store.submit(
              job(ofJob, new TaskSpec("x", false, null, JsonObject.create(), own)));
      inMemory.await(id);
      awaitSpans(tracing, collector, 1);
      Seen task = collector.named("process run");
      assertThat(task.trace()).isEqualTo(other);
      assertThat(task.links()).isEqualTo(1);
    }
  }

  @Test
  void withoutACollectorWorkersStillGetTheTraceOfTheJob() throws Exception {
    try (InMemoryServer inMemory = new InMemoryServer()) {
      inMemory.start(
          Worker.of(
              "run",
              task -> {
                TraceContext trace = task.trace();
                return trace == null ? "none" : trace.parent();
              }));
      TraceContext given = new TraceContext("00-" + TRACE + "-" + SPAN + "-01", null);
      assertThat(inMemory.await(inMemory.store.submit(job(given, TaskSpec.of("x")))).result())
          .isEqualTo(given.parent());
      JobId untraced = inMemory.submit("run", "x");
      assertThat(inMemory.await(untraced).result())
          .isEqualTo(TraceContext.derivedFrom(untraced.value()).parent());
    }
  }

  @Test
  void unreachableCollectorCostsOnlySpans() throws Exception {
    try (InMemoryServer inMemory = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(URI.create("http://127.0.0.1:1"))) {
      inMemory.start(
          inMemory
              .builder(Worker.of("run", _ -> "done"))
              .listener(tracing.taskListener(inMemory.store)));
      assertThat(inMemory.await(inMemory.submit("run", "x")).result()).isEqualTo("done");
    }
  }

  @Test
  void invalidCollectorUrlIsRefused() {
    assertThatThrownBy(() -> OtlpTracing.open(URI.create("localhost:4317")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("http://localhost:4318");
  }
}

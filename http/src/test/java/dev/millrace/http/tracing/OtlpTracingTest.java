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

  /** Makes a job of each request, and answers its id. */
  private record Submitting(InMemoryServer mill) implements RouteGroup {
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
              call ->
                  ApiResponse.ok(mill.store.submit(job(call.trace(), TaskSpec.of("x"))).value())));
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

  /** An answer is out, and a job has ended, before the span is over. */
  private static void awaitSpans(OtlpTracing tracing, OtlpCollector collector, int count) {
    await()
        .until(
            () -> {
              tracing.flush();
              return collector.spans.size() >= count;
            });
  }

  @Test
  void aRequestItsTaskAndTheTasksProgramAreInOneTrace() throws Exception {
    try (OtlpCollector collector = new OtlpCollector();
        InMemoryServer mill = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(collector.uri())) {
      ExecWorker worker = new ExecWorker("run", "printf %s \"$TRACEPARENT $TRACESTATE\"");
      mill.start(mill.builder(worker).listener(tracing.taskListener(mill.store)));
      RequestObserver requests = tracing.requestObserver();
      String printed;
      try (HttpService service =
          HttpService.open(
              HttpSettings.loopback(0), List.of(new Submitting(mill)), List.of(requests))) {
        JobId id =
            ask(service, "traceparent", "00-" + TRACE + "-" + SPAN + "-01", "tracestate", "a=b");
        printed = mill.await(id).result();
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
  void aRequestThatSaysNothingBeginsATrace() throws Exception {
    try (OtlpCollector collector = new OtlpCollector();
        InMemoryServer mill = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(collector.uri())) {
      mill.start(
          mill.builder(Worker.of("run", _ -> "done")).listener(tracing.taskListener(mill.store)));
      try (HttpService service =
          HttpService.open(
              HttpSettings.loopback(0),
              List.of(new Submitting(mill)),
              List.of(tracing.requestObserver()))) {
        mill.await(ask(service));
      }
      awaitSpans(tracing, collector, 2);
      Seen request = collector.named("GET /t/{name}");
      assertThat(request.parent()).isEmpty();
      assertThat(collector.named("process run").trace()).isEqualTo(request.trace());
      assertThat(collector.named("process run").parent()).isEqualTo(request.span());
    }
  }

  @Test
  void aTaskWithATraceOfItsOwnIsLinkedWithItsJobs() throws Exception {
    try (OtlpCollector collector = new OtlpCollector();
        InMemoryServer mill = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(collector.uri())) {
      mill.start(
          mill.builder(Worker.of("run", _ -> "done")).listener(tracing.taskListener(mill.store)));
      TraceContext ofJob = new TraceContext("00-" + TRACE + "-" + SPAN + "-01", null);
      String other = "aaf92f3577b34da6a3ce929d0e0e4736";
      TraceContext own = new TraceContext("00-" + other + "-" + SPAN + "-01", null);
      JobId id =
          mill.store.submit(job(ofJob, new TaskSpec("x", false, null, JsonObject.create(), own)));
      mill.await(id);
      awaitSpans(tracing, collector, 1);
      Seen task = collector.named("process run");
      assertThat(task.trace()).isEqualTo(other);
      assertThat(task.links()).isEqualTo(1);
    }
  }

  @Test
  void withoutACollectorWorkersStillGetWhatTheJobCameWith() throws Exception {
    try (InMemoryServer mill = new InMemoryServer()) {
      mill.start(
          Worker.of(
              "run",
              task -> {
                TraceContext trace = task.trace();
                return trace == null ? "none" : trace.parent();
              }));
      TraceContext given = new TraceContext("00-" + TRACE + "-" + SPAN + "-01", null);
      assertThat(mill.await(mill.store.submit(job(given, TaskSpec.of("x")))).result())
          .isEqualTo(given.parent());
      assertThat(mill.await(mill.submit("run", "x")).result()).isEqualTo("none");
    }
  }

  @Test
  void aCollectorThatIsNotThereCostsNothingButSpans() throws Exception {
    try (InMemoryServer mill = new InMemoryServer();
        OtlpTracing tracing = OtlpTracing.open(URI.create("http://127.0.0.1:1"))) {
      mill.start(
          mill.builder(Worker.of("run", _ -> "done")).listener(tracing.taskListener(mill.store)));
      assertThat(mill.await(mill.submit("run", "x")).result()).isEqualTo("done");
    }
  }

  @Test
  void anAddressThatIsNoneIsRefused() {
    assertThatThrownBy(() -> OtlpTracing.open(URI.create("localhost:4317")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("http://localhost:4318");
  }
}

package dev.millrace.server.http.sdk;

import dev.millrace.client.MillraceClient;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.ContractSettings;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.ManualClock;
import dev.millrace.core.store.MemoryFixture;
import dev.millrace.server.http.ApiPage;
import dev.millrace.server.http.Face;
import dev.millrace.server.http.HttpService;
import dev.millrace.server.http.HttpSettings;
import dev.millrace.server.http.Idempotency;
import dev.millrace.server.http.Ids;
import dev.millrace.server.http.OpenApi;
import dev.millrace.server.http.OperationsFace;
import dev.millrace.server.http.Problem;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.jobnik.JobnikFace;
import dev.millrace.server.http.so1.So1Face;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** All faces over a store in memory whose clock stands, and a client of them. */
final class Station implements AutoCloseable {
  final ManualClock clock = new ManualClock();
  final JobStore store = new MemoryFixture().open(ContractSettings.steady(clock));
  final List<Face> faces;
  final HttpService service;
  final MillraceClient client;
  private final List<String> accesses = new CopyOnWriteArrayList<>();

  Station() {
    Ids ids = new Ids(store);
    Idempotency once = new Idempotency(store, clock);
    faces =
        List.of(
            new JobnikFace(store, ids, once, Station::check),
            new So1Face(
                store, Set.of("resize", "generate", "embed"), Set.of(), ids, once, Station::check),
            new OperationsFace(
                _ ->
                    new Reply.Content(
                        200,
                        Map.of(),
                        "text/plain; version=0.0.4; charset=utf-8",
                        "up 1\n".getBytes(StandardCharsets.UTF_8)),
                List.of(),
                OpenApi.load().bytes(),
                ApiPage.load(),
                clock,
                Map::of));
    service = HttpService.open(HttpSettings.loopback(0).withAccessLog(accesses::add), faces);
    client = MillraceClient.at(service.uri());
  }

  private static void check(Webhook hook) {
    if (hook.url().contains("forbidden.example")) {
      throw new Problem(Problem.Kind.INVALID, "forbidden.example is not allowed");
    }
  }

  /** Every request so far, as the access log has it. */
  List<JsonObject> accesses() {
    return accesses.stream().map(Json::object).toList();
  }

  @Override
  public void close() {
    client.close();
    service.close();
    store.close();
  }
}

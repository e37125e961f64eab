package dev.millrace.http.sdk;

import dev.millrace.client.MillraceClient;
import dev.millrace.core.job.Webhook;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.fixture.ContractSettings;
import dev.millrace.core.store.fixture.ManualClock;
import dev.millrace.core.store.memory.MemoryStoreFixture;
import dev.millrace.core.task.Backoff;
import dev.millrace.http.HttpService;
import dev.millrace.http.HttpSettings;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.live.LiveRouteGroup;
import dev.millrace.http.live.ServerAccess;
import dev.millrace.http.monitoring.MonitoringRouteGroup;
import dev.millrace.http.openapi.ApiDocsPage;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.overview.OverviewSources;
import dev.millrace.http.overview.ServerOverviewRoute;
import dev.millrace.http.page.PageRouteGroup;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.so1.So1RouteGroup;
import dev.millrace.http.verify.VerifierAccess;
import dev.millrace.http.verify.VerifyRoute;
import dev.millrace.server.infer.VerifyResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/** All APIs on a store in memory with a manual clock, and a client for them. */
final class SdkTestServer implements AutoCloseable {
  final ManualClock clock = new ManualClock();
  final JobStore store = new MemoryStoreFixture().open(ContractSettings.steady(clock));
  final List<RouteGroup> routeGroups;
  final HttpService service;
  final MillraceClient client;
  private final List<String> accesses = new CopyOnWriteArrayList<>();

  SdkTestServer() {
    IdResolver ids = new IdResolver(store);
    IdempotentSubmitter submitter = new IdempotentSubmitter(store, clock);
    JobnikRouteGroup jobnik =
        new JobnikRouteGroup(store, ids, submitter, SdkTestServer::check, Backoff.NONE);
    jobnik.add(
        new ServerOverviewRoute(OverviewSources.withoutModels(store, Set.of("resize"))).routes());
    VerifierAccess verifier = new VerifierAccess();
    verifier.attach(asked -> new VerifyResult(true, true, "the same " + asked.result().text()));
    jobnik.add(new VerifyRoute(new EntityLookup(store, ids), verifier).routes());
    routeGroups =
        List.of(
            jobnik,
            new So1RouteGroup(
                store,
                Set.of("resize", "generate", "embed"),
                Set.of(),
                jobnik.workerTypes(),
                ids,
                submitter,
                SdkTestServer::check),
            LiveRouteGroup.start(store, ids, ServerAccess.NONE, clock),
            PageRouteGroup.load(),
            new MonitoringRouteGroup(
                _ ->
                    new ApiResponse.Content(
                        200,
                        Map.of(),
                        "text/plain; version=0.0.4; charset=utf-8",
                        "up 1\n".getBytes(StandardCharsets.UTF_8)),
                List.of(),
                OpenApiDocument.load().bytes(),
                ApiDocsPage.load(),
                clock,
                Map::of));
    service = HttpService.open(HttpSettings.loopback(0).withAccessLog(accesses::add), routeGroups);
    client = MillraceClient.at(service.uri());
  }

  private static void check(Webhook hook) {
    if (hook.url().contains("forbidden.example")) {
      throw new Problem(Problem.Kind.INVALID, "forbidden.example is not allowed");
    }
  }

  /** The entries of the access log so far. */
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

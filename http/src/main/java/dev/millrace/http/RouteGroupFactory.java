package dev.millrace.http;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.StageTaskCheck;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.live.LiveRouteGroup;
import dev.millrace.http.metrics.ServerMetrics;
import dev.millrace.http.monitoring.BuiltInReadinessChecks;
import dev.millrace.http.monitoring.MonitoringRouteGroup;
import dev.millrace.http.openai.OpenAiRouteGroup;
import dev.millrace.http.openai.response.ResponseRoutes;
import dev.millrace.http.openapi.ApiDocsPage;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.overview.ServerOverviewRoute;
import dev.millrace.http.page.PageRouteGroup;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.so1.So1RouteGroup;
import dev.millrace.http.verify.VerifyRoute;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the route groups of the API, which share what submits jobs and finds them. */
record RouteGroupFactory(
    JobStore store,
    HttpSettings settings,
    AttachedServer server,
    ServerMetrics metrics,
    Submissions submissions) {

  /** What all that submit jobs share. */
  record Submissions(IdResolver ids, IdempotentSubmitter submitter, WebhookPolicy webhooks) {}

  /**
   * What the server offers, known before there is one.
   *
   * @param types task types that it will have workers for
   * @param modelNames the models that tasks may name
   * @param starting what it still does before it is ready; empty: nothing
   */
  record Offer(Set<String> types, Set<String> modelNames, Supplier<Optional<String>> starting) {}

  List<RouteGroup> groups(Offer offer, ResponseRoutes responses, OpenApiDocument document) {
    RouteGroup page = PageRouteGroup.load(); // first: it fails if a part is missing
    RouteGroup monitoring = monitoring(offer, document);
    JobnikRouteGroup jobnik = jobnik(offer);
    RouteGroup so1 =
        new So1RouteGroup(
            store,
            offer.types,
            offer.modelNames,
            jobnik.workerTypes(),
            submissions.ids,
            submissions.submitter,
            submissions.webhooks);
    RouteGroup openAi = new OpenAiRouteGroup(server.direct(), responses);
    RouteGroup live =
        LiveRouteGroup.start(store, submissions.ids, server.access(), ProcessClock.system());
    return List.of(jobnik, live, so1, openAi, page, monitoring);
  }

  private JobnikRouteGroup jobnik(Offer offer) {
    JobnikRouteGroup jobnik =
        new JobnikRouteGroup(
            store,
            submissions.ids,
            submissions.submitter,
            submissions.webhooks,
            settings.stageBackoff(),
            new StageTaskCheck(offer.types, offer.modelNames));
    EntityLookup lookup = new EntityLookup(store, submissions.ids);
    jobnik.add(
        new ServerOverviewRoute(server.overview(store, offer.types, offer.starting)).routes());
    jobnik.add(new VerifyRoute(lookup, server.verifier()).routes());
    metrics.gauge("millrace_dequeues_waiting", "Requests that wait for a task.", jobnik::waiting);
    return jobnik;
  }

  private RouteGroup monitoring(Offer offer, OpenApiDocument document) {
    return new MonitoringRouteGroup(
        this::metrics,
        List.of(
            BuiltInReadinessChecks.store(store),
            BuiltInReadinessChecks.server(server::server, offer.starting),
            BuiltInReadinessChecks.threads(),
            BuiltInReadinessChecks.keys(settings.keys())),
        document.bytes(),
        ApiDocsPage.load(),
        Clock.systemUTC(),
        server::waiting,
        store::unreadableJobs);
  }

  private ApiResponse.Content metrics(@Nullable String accept) {
    ServerMetrics.Rendered text = metrics.render(accept);
    return new ApiResponse.Content(200, Map.of(), text.mediaType(), text.body());
  }
}

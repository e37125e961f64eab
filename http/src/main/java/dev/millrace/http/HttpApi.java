package dev.millrace.http;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.time.ProcessClock;
import dev.millrace.http.inference.InferenceAccess;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.StageTaskCheck;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.live.LiveRouteGroup;
import dev.millrace.http.live.ServerAccess;
import dev.millrace.http.metrics.ServerMetrics;
import dev.millrace.http.monitoring.BuiltInReadinessChecks;
import dev.millrace.http.monitoring.MonitoringRouteGroup;
import dev.millrace.http.openai.OpenAiRouteGroup;
import dev.millrace.http.openai.response.ResponseRoutes;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.openapi.ApiDocsPage;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.overview.OverviewSources;
import dev.millrace.http.overview.ServerOverviewRoute;
import dev.millrace.http.page.PageRouteGroup;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.so1.So1RouteGroup;
import dev.millrace.http.tracing.OtlpTracing;
import dev.millrace.http.verify.VerifierAccess;
import dev.millrace.http.verify.VerifyRoute;
import dev.millrace.http.webhook.WebhookService;
import dev.millrace.http.webhook.WebhookSettings;
import dev.millrace.server.Server;
import dev.millrace.server.TaskListener;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.model.RemoteModelStatus;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP API over a store. Create it before the server, because the server's own work is measured
 * and traced too; call {@link #open} to listen, and close it before the store. It may listen before
 * there is a server: jobs are read and submitted meanwhile. Not thread-safe.
 */
public final class HttpApi implements AutoCloseable {

  /** How long running requests may take when the API is closed. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final WebhookPolicy NO_WEBHOOKS =
      webhook -> {
        throw new Problem(
            Problem.Kind.INVALID,
            "this server sends no webhooks: start it with --webhook-allow and"
                + " --webhook-secret-file, or leave \"webhooks\" out");
      };

  private final HttpSettings settings;
  private final @Nullable WebhookSettings webhookSettings;
  private final JobStore store;
  private final ServerMetrics metrics;
  private final InferenceAccess inference = new InferenceAccess();
  private final VerifierAccess verifier = new VerifierAccess();
  private final Instant startTime = Instant.now();
  private final @Nullable OtlpTracing tracing;
  private @Nullable WebhookService webhooks;
  private @Nullable IdempotentSubmitter submitter;
  private @Nullable IdResolver idResolver;
  private volatile @Nullable HttpService service;
  private volatile int unanswered;
  private @Nullable Runnable unendedResponses; // starts them, if a server comes that can
  private volatile @Nullable Server server;
  private volatile @Nullable Supplier<InferenceStats> models;
  private volatile @Nullable Inference inferenceModels;

  private HttpApi(JobStore store, HttpSettings settings, @Nullable WebhookSettings webhooks) {
    this.store = store;
    this.settings = settings;
    this.webhookSettings = webhooks;
    this.metrics = new ServerMetrics(store, InstantSource.system());
    this.tracing = settings.otlp() == null ? null : OtlpTracing.open(settings.otlp());
    if (tracing != null) {
      metrics.traces(tracing::dropped);
    }
  }

  /**
   * @param webhooks null: no job may have a webhook
   */
  public static HttpApi over(
      JobStore store, HttpSettings settings, @Nullable WebhookSettings webhooks) {
    return new HttpApi(store, settings, webhooks);
  }

  /** The listener to register for the server's own tasks. */
  public TaskListener taskListener() {
    return tracing == null ? new TaskListener() {} : tracing.taskListener(store);
  }

  /**
   * Starts to listen for a server that exists; closes this if that fails.
   *
   * @param types task types that the server has workers for
   * @param stats of its models; null if it has none
   * @throws IllegalArgumentException if a file, the address or the port cannot be used
   */
  public URI open(Server running, Set<String> types, @Nullable Supplier<InferenceStats> stats) {
    return open(running, types, stats, null);
  }

  /**
   * As the other method.
   *
   * @param direct answers requests at once; null if it has no models
   */
  public URI open(
      Server running,
      Set<String> types,
      @Nullable Supplier<InferenceStats> stats,
      @Nullable DirectInference direct) {
    attach(running, stats, direct);
    return open(types, stats == null ? Set.of() : names(stats.get()), Optional::empty);
  }

  /**
   * Starts to listen before there is a server; closes this if that fails. {@link #attach} follows.
   *
   * @param types task types that the server will have workers for
   * @param modelNames the models that tasks may name
   * @param starting what the server still does before it is ready; empty: nothing
   * @throws IllegalArgumentException if a file, the address or the port cannot be used
   */
  public URI open(Set<String> types, Set<String> modelNames, Supplier<Optional<String>> starting) {
    try {
      return listen(types, modelNames, starting);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /**
   * Adds the server. Call it once.
   *
   * @param stats of its models; null if it has none
   * @param direct answers requests at once; null if it has no models
   */
  public void attach(
      Server running, @Nullable Supplier<InferenceStats> stats, @Nullable DirectInference direct) {
    verifier.attach(null);
    attachModels(running, stats, direct);
  }

  private void attachModels(
      Server running, @Nullable Supplier<InferenceStats> stats, @Nullable DirectInference direct) {
    server = running;
    inference.attach(direct);
    models = stats;
    if (stats != null) {
      metrics.inference(stats);
    }
    startUnendedResponses();
  }

  /**
   * As the other method.
   *
   * @param served the models; null if there are none
   */
  public void attach(Server running, @Nullable Inference served) {
    if (served == null) {
      attach(running, null, null);
    } else {
      inferenceModels = served;
      verifier.attach(served::verify);
      attachModels(running, served::stats, served.direct());
    }
  }

  private OverviewSources overview(Set<String> types, Supplier<Optional<String>> starting) {
    return new OverviewSources(
        store,
        startTime,
        types,
        () -> server,
        starting,
        () -> {
          Inference present = inferenceModels;
          return present == null ? List.of() : present.models();
        },
        () -> {
          Inference present = inferenceModels;
          return present == null ? List.of() : present.networks();
        });
  }

  private URI listen(
      Set<String> types, Set<String> modelNames, Supplier<Optional<String>> starting) {
    WebhookPolicy policy = NO_WEBHOOKS;
    if (webhookSettings != null) {
      webhooks = WebhookService.open(store, webhookSettings);
      metrics.webhooks(webhooks::stats);
      policy = webhooks;
    }
    IdResolver ids = new IdResolver(store);
    idResolver = ids;
    submitter = new IdempotentSubmitter(store, Clock.systemUTC());
    JobnikRouteGroup jobnik =
        new JobnikRouteGroup(
            store,
            ids,
            submitter,
            policy,
            settings.stageBackoff(),
            new StageTaskCheck(types, modelNames));
    So1RouteGroup so1 =
        new So1RouteGroup(store, types, modelNames, jobnik.workerTypes(), ids, submitter, policy);
    jobnik.add(new ServerOverviewRoute(overview(types, starting)).routes());
    jobnik.add(new VerifyRoute(new EntityLookup(store, ids), verifier).routes());
    metrics.gauge("millrace_dequeues_waiting", "Requests that wait for a task.", jobnik::waiting);
    OpenApiDocument document = OpenApiDocument.load();
    RouteGroup monitoring =
        new MonitoringRouteGroup(
            this::metrics,
            List.of(
                BuiltInReadinessChecks.store(store),
                BuiltInReadinessChecks.server(() -> server, starting),
                BuiltInReadinessChecks.threads(),
                BuiltInReadinessChecks.keys(settings.keys())),
            document.bytes(),
            ApiDocsPage.load(),
            Clock.systemUTC(),
            this::waiting,
            store::unreadableJobs);
    List<RequestObserver> observers = new ArrayList<>(List.of(metrics.observer()));
    if (tracing != null) {
      observers.add(tracing.requestObserver());
    }
    ResponseRoutes responses =
        ResponseRoutes.over(store, inference, this::startSoon, settings.responseAge());
    OpenAiRouteGroup openAi = new OpenAiRouteGroup(inference, responses);
    RouteGroup live = LiveRouteGroup.start(store, ids, access(), ProcessClock.system());
    HttpService opened =
        HttpService.open(
            settings,
            List.of(jobnik, live, so1, openAi, PageRouteGroup.load(), monitoring),
            observers,
            document);
    service = opened;
    if (types.contains(ResponseStore.TYPE)) {
      unendedResponses = responses::startUnended;
      startUnendedResponses();
    }
    metrics.gauge("millrace_http_in_flight", "Requests being answered.", opened::running);
    metrics.gauge("millrace_http_streams", "Streams that are open.", opened::streams);
    metrics.refusals(opened.slots());
    return opened.uri();
  }

  /** The server and its models, once they are attached. */
  private ServerAccess access() {
    return new ServerAccess(
        () -> server,
        () -> {
          Supplier<InferenceStats> stats = models;
          return stats == null ? null : stats.get();
        });
  }

  /** The server and the routes come in any order: the later one finds both. */
  private void startUnendedResponses() {
    if (server != null && unendedResponses != null) {
      unendedResponses.run();
    }
  }

  /** Responses are only made and started with a server. */
  private void startSoon(JobId job) {
    Objects.requireNonNull(server).startSoon(job, ResponseStore.TYPE);
  }

  /** All models that a task may name, also those that are not ready yet. */
  private static Set<String> names(InferenceStats models) {
    Set<String> names = new HashSet<>(models.served());
    models.remoteModels().forEach(model -> names.add(model.model()));
    return names;
  }

  private Map<String, String> waiting() {
    Map<String, String> waiting = new LinkedHashMap<>();
    Supplier<InferenceStats> stats = models;
    for (RemoteModelStatus model :
        stats == null ? List.<RemoteModelStatus>of() : stats.get().remoteModels()) {
      if (!model.ready()) {
        waiting.put("model " + model.model(), model.waitReason());
      }
    }
    return waiting;
  }

  private ApiResponse.Content metrics(@Nullable String accept) {
    ServerMetrics.Rendered text = metrics.render(accept);
    return new ApiResponse.Content(200, Map.of(), text.mediaType(), text.body());
  }

  /** Requests that are being answered now, streams included. Thread-safe. */
  public int running() {
    HttpService present = service;
    return present == null ? 0 : present.running();
  }

  /** Requests that {@link #close} has ended before they were answered, streams included. */
  public int unanswered() {
    return unanswered;
  }

  /** Waits a short time for running requests, then closes everything except the store. */
  @Override
  public void close() {
    close(GRACE);
  }

  /** As the other method. Running requests may take {@code grace}; streams end at once. */
  public void close(Duration grace) {
    boolean interrupted = Thread.interrupted();
    HttpService present = service;
    if (present != null) {
      interrupted |= close(present, grace);
    }
    if (submitter != null) {
      submitter.close();
    }
    if (idResolver != null) {
      idResolver.close();
    }
    if (webhooks != null) {
      webhooks.close();
    }
    metrics.close();
    if (tracing != null) {
      tracing.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether it was interrupted meanwhile. */
  private boolean close(HttpService listening, Duration grace) {
    boolean interrupted = false;
    int streams = listening.streams();
    try {
      listening.drain(grace);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    unanswered = streams + listening.running() - listening.streams();
    service = null;
    listening.close();
    return interrupted;
  }
}

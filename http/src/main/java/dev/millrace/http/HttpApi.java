package dev.millrace.http;

import dev.millrace.core.store.JobStore;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.JobnikRouteGroup;
import dev.millrace.http.metrics.ServerMetrics;
import dev.millrace.http.monitoring.BuiltInReadinessChecks;
import dev.millrace.http.monitoring.MonitoringRouteGroup;
import dev.millrace.http.openapi.ApiDocsPage;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.route.RouteGroup;
import dev.millrace.http.so1.So1RouteGroup;
import dev.millrace.http.tracing.OtlpTracing;
import dev.millrace.http.webhook.WebhookService;
import dev.millrace.http.webhook.WebhookSettings;
import dev.millrace.server.Server;
import dev.millrace.server.ServerListener;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.RemoteModelStatus;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The HTTP API over a store. Prepared before the server is built, because the server's own work is
 * measured and traced too; open from {@link #open} until it is closed, which must be before the
 * store is. Not thread-safe.
 */
public final class HttpApi implements AutoCloseable {

  /** How long requests have to come to an end when the API is closed. */
  private static final Duration GRACE = Duration.ofSeconds(5);

  private static final WebhookPolicy NO_HOOKS =
      hook -> {
        throw new Problem(
            Problem.Kind.INVALID,
            "this server sends no webhooks: start it with --webhook-allow and"
                + " --webhook-secret-file, or leave \"webhooks\" out");
      };

  private final HttpSettings settings;
  private final @Nullable WebhookSettings hookSettings;
  private final JobStore store;
  private final ServerMetrics meters;
  private final @Nullable OtlpTracing tracing;
  private final JobStore measured;
  private @Nullable WebhookService hooks;
  private @Nullable IdempotentSubmitter once;
  private @Nullable HttpService service;

  private HttpApi(JobStore store, HttpSettings settings, @Nullable WebhookSettings hooks) {
    this.store = store;
    this.settings = settings;
    this.hookSettings = hooks;
    this.meters = new ServerMetrics(store, InstantSource.system());
    this.tracing = settings.otlp() == null ? null : OtlpTracing.open(settings.otlp());
    this.measured = meters.measured(store);
  }

  /**
   * @param hooks null: no job may name a webhook
   */
  public static HttpApi over(
      JobStore store, HttpSettings settings, @Nullable WebhookSettings hooks) {
    return new HttpApi(store, settings, hooks);
  }

  /** The store for the server's own workers: what they do is measured. */
  public JobStore measuredStore() {
    return measured;
  }

  /** Is to be told of the server's own tasks. */
  public ServerListener taskListener() {
    return tracing == null ? new ServerListener() {} : tracing.taskListener(store);
  }

  /**
   * Listens. If it cannot, this is closed.
   *
   * @param types that the server has workers for
   * @param models what its models do; null if it has none
   * @throws IllegalArgumentException saying what is wrong: a file, the address, a port that is taken
   */
  public URI open(Server server, Set<String> types, @Nullable Supplier<InferenceStats> models) {
    try {
      return listen(server, types, models);
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private URI listen(Server server, Set<String> types, @Nullable Supplier<InferenceStats> models) {
    WebhookPolicy policy = NO_HOOKS;
    if (hookSettings != null) {
      hooks = WebhookService.open(store, hookSettings);
      meters.webhooks(hooks::stats);
      policy = hooks;
    }
    if (models != null) {
      meters.inference(models);
    }
    IdResolver ids = new IdResolver(store);
    once = new IdempotentSubmitter(measured, InstantSource.system());
    JobnikRouteGroup jobnik = new JobnikRouteGroup(measured, ids, once, policy);
    Set<String> names = models == null ? Set.of() : names(models.get());
    So1RouteGroup so1 = new So1RouteGroup(measured, types, names, ids, once, policy);
    meters.gauge("millrace_dequeues_waiting", "Requests that wait for a task.", jobnik::waiting);
    OpenApiDocument document = OpenApiDocument.load();
    RouteGroup operations =
        new MonitoringRouteGroup(
            this::metrics,
            List.of(BuiltInReadinessChecks.store(store), BuiltInReadinessChecks.server(server)),
            document.bytes(),
            ApiDocsPage.load(),
            Clock.systemUTC(),
            () -> models == null ? Map.of() : waiting(models.get()));
    List<RequestObserver> observers = new ArrayList<>(List.of(meters.observer()));
    if (tracing != null) {
      observers.add(tracing.requestObserver());
    }
    service = HttpService.open(settings, List.of(jobnik, so1, operations), observers, document);
    meters.gauge("millrace_http_in_flight", "Requests being answered.", service::running);
    meters.gauge("millrace_http_streams", "Streams that are open.", service::streams);
    return service.uri();
  }

  /** All that a task may name: one that is not ready yet is waited for. */
  private static Set<String> names(InferenceStats models) {
    Set<String> names = new HashSet<>(models.served());
    models.remoteModels().forEach(model -> names.add(model.model()));
    return names;
  }

  private static Map<String, String> waiting(InferenceStats models) {
    Map<String, String> waiting = new LinkedHashMap<>();
    for (RemoteModelStatus model : models.remoteModels()) {
      if (!model.ready()) {
        waiting.put("model " + model.model(), model.waitReason());
      }
    }
    return waiting;
  }

  private ApiResponse.Content metrics(@Nullable String accept) {
    ServerMetrics.Rendered text = meters.render(accept);
    return new ApiResponse.Content(200, Map.of(), text.mediaType(), text.body());
  }

  /** Lets requests come to an end, then lets go of everything but the store. */
  @Override
  public void close() {
    boolean interrupted = Thread.interrupted();
    if (service != null) {
      try {
        service.drain(GRACE);
      } catch (InterruptedException e) {
        interrupted = true;
      }
      service.close();
    }
    if (once != null) {
      once.close();
    }
    if (hooks != null) {
      hooks.close();
    }
    meters.close();
    if (tracing != null) {
      tracing.close();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

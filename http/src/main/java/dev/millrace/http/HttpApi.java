package dev.millrace.http;

import dev.millrace.core.store.JobStore;
import dev.millrace.http.job.IdResolver;
import dev.millrace.http.job.IdempotentSubmitter;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.metrics.ServerMetrics;
import dev.millrace.http.openai.response.ResponseRoutes;
import dev.millrace.http.openai.response.store.ResponseStore;
import dev.millrace.http.openapi.OpenApiDocument;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.tracing.OtlpTracing;
import dev.millrace.http.webhook.WebhookService;
import dev.millrace.http.webhook.WebhookSettings;
import dev.millrace.server.Server;
import dev.millrace.server.TaskListener;
import dev.millrace.server.infer.Inference;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.direct.DirectInference;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
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
  private final AttachedServer server = new AttachedServer();
  private final @Nullable OtlpTracing tracing;
  private @Nullable WebhookService webhooks;
  private @Nullable IdempotentSubmitter submitter;
  private @Nullable IdResolver idResolver;
  private volatile @Nullable HttpService service;
  private volatile int unanswered;
  private @Nullable Runnable unendedResponses; // starts them, if a server comes that can

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
      return listen(new RouteGroupFactory.Offer(types, modelNames, starting));
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
    server.attach(running, stats, direct);
    attached(stats);
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
      server.attach(running, served);
      attached(served::stats);
    }
  }

  private void attached(@Nullable Supplier<InferenceStats> stats) {
    if (stats != null) {
      metrics.inference(stats);
    }
    startUnendedResponses();
  }

  private URI listen(RouteGroupFactory.Offer offer) {
    WebhookPolicy policy = NO_WEBHOOKS;
    if (webhookSettings != null) {
      webhooks = WebhookService.open(store, webhookSettings);
      metrics.webhooks(webhooks::stats);
      policy = webhooks;
    }
    idResolver = new IdResolver(store);
    submitter = new IdempotentSubmitter(store, Clock.systemUTC());
    OpenApiDocument document = OpenApiDocument.load();
    ResponseRoutes responses =
        ResponseRoutes.over(store, server.direct(), server::startSoon, settings.responseAge());
    RouteGroupFactory factory =
        new RouteGroupFactory(
            store,
            settings,
            server,
            metrics,
            new RouteGroupFactory.Submissions(idResolver, submitter, policy));
    HttpService opened =
        HttpService.open(
            settings, factory.groups(offer, responses, document), observers(), document);
    service = opened;
    if (offer.types().contains(ResponseStore.TYPE)) {
      unendedResponses = responses::startUnended;
      startUnendedResponses();
    }
    metrics.gauge("millrace_http_in_flight", "Requests being answered.", opened::running);
    metrics.gauge("millrace_http_streams", "Streams that are open.", opened::streams);
    metrics.refusals(opened.slots());
    return opened.uri();
  }

  private List<RequestObserver> observers() {
    return tracing == null
        ? List.of(metrics.observer())
        : List.of(metrics.observer(), tracing.requestObserver());
  }

  /** The server and the routes come in any order: the later one finds both. */
  private void startUnendedResponses() {
    if (server.server() != null && unendedResponses != null) {
      unendedResponses.run();
    }
  }

  /** All models that a task may name, also those that are not ready yet. */
  private static Set<String> names(InferenceStats models) {
    Set<String> names = new HashSet<>(models.served());
    models.remoteModels().forEach(model -> names.add(model.model()));
    return names;
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

package dev.millrace.server.api;

import dev.millrace.core.store.JobStore;
import dev.millrace.server.Server;
import dev.millrace.server.ServerListener;
import dev.millrace.server.http.ApiPage;
import dev.millrace.server.http.Face;
import dev.millrace.server.http.HttpService;
import dev.millrace.server.http.HttpSettings;
import dev.millrace.server.http.Idempotency;
import dev.millrace.server.http.Ids;
import dev.millrace.server.http.Observer;
import dev.millrace.server.http.OpenApi;
import dev.millrace.server.http.OperationsFace;
import dev.millrace.server.http.Problem;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.StoreReady;
import dev.millrace.server.http.WebhookPolicy;
import dev.millrace.server.http.hooks.HookSettings;
import dev.millrace.server.http.hooks.Webhooks;
import dev.millrace.server.http.jobnik.JobnikFace;
import dev.millrace.server.http.meter.Meters;
import dev.millrace.server.http.so1.So1Face;
import dev.millrace.server.http.trace.Tracing;
import dev.millrace.server.infer.InferenceStats;
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
public final class JobApi implements AutoCloseable {

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
  private final @Nullable HookSettings hookSettings;
  private final JobStore store;
  private final Meters meters;
  private final @Nullable Tracing tracing;
  private final JobStore measured;
  private @Nullable Webhooks hooks;
  private @Nullable Idempotency once;
  private @Nullable HttpService service;

  private JobApi(JobStore store, HttpSettings settings, @Nullable HookSettings hooks) {
    this.store = store;
    this.settings = settings;
    this.hookSettings = hooks;
    this.meters = new Meters(store, InstantSource.system());
    this.tracing = settings.otlp() == null ? null : Tracing.open(settings.otlp());
    this.measured = meters.over(store);
  }

  /**
   * @param hooks null: no job may name a webhook
   */
  public static JobApi over(JobStore store, HttpSettings settings, @Nullable HookSettings hooks) {
    return new JobApi(store, settings, hooks);
  }

  /** The store for the server's own workers: what they do is measured. */
  public JobStore store() {
    return measured;
  }

  /** Is to be told of the server's own tasks. */
  public ServerListener listener() {
    return tracing == null ? new ServerListener() {} : tracing.tasks(store);
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
      hooks = Webhooks.open(store, hookSettings);
      meters.webhooks(hooks::stats);
      policy = hooks;
    }
    if (models != null) {
      meters.inference(models);
    }
    Ids ids = new Ids(store);
    once = new Idempotency(measured, InstantSource.system());
    JobnikFace jobnik = new JobnikFace(measured, ids, once, policy);
    Set<String> names = models == null ? Set.of() : names(models.get());
    So1Face so1 = new So1Face(measured, types, names, ids, once, policy);
    meters.gauge("millrace_dequeues_waiting", "Requests that wait for a task.", jobnik::waiting);
    Face operations =
        new OperationsFace(
            this::metrics,
            List.of(StoreReady.store(store), StoreReady.server(server)),
            OpenApi.load().bytes(),
            ApiPage.load(),
            Clock.systemUTC(),
            () -> models == null ? Map.of() : waiting(models.get()));
    List<Observer> observers = new ArrayList<>(List.of(meters.observer()));
    if (tracing != null) {
      observers.add(tracing.requests());
    }
    service = HttpService.open(settings, List.of(jobnik, so1, operations), observers);
    meters.gauge("millrace_http_in_flight", "Requests being answered.", service::running);
    meters.gauge("millrace_http_streams", "Streams that are open.", service::streams);
    return service.uri();
  }

  /** All that a task may name: one that is not ready yet is waited for. */
  private static Set<String> names(InferenceStats models) {
    Set<String> names = new HashSet<>(models.served());
    models.spread().forEach(model -> names.add(model.model()));
    return names;
  }

  private static Map<String, String> waiting(InferenceStats models) {
    Map<String, String> waiting = new LinkedHashMap<>();
    for (InferenceStats.Spread model : models.spread()) {
      if (!model.ready()) {
        waiting.put("model " + model.model(), model.waiting());
      }
    }
    return waiting;
  }

  private Reply.Content metrics(@Nullable String accept) {
    Meters.Rendered text = meters.render(accept);
    return new Reply.Content(200, Map.of(), text.mediaType(), text.body());
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

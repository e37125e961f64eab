package dev.millrace.http.monitoring;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.openapi.ApiDocsPage;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The routes for operators: health checks, metrics, the OpenAPI document and its page. */
public final class MonitoringRouteGroup implements RouteGroup {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final LogThrottle FAILED_CHECKS = new LogThrottle(System::nanoTime);

  private final Metrics metrics;
  private final List<ReadinessCheck> checks;
  private final StaticContent document;
  private final StaticContent page;
  private final Clock clock;
  private final Supplier<Map<String, String>> waiting;
  private final LongSupplier unreadableJobs;
  private volatile boolean draining;

  /** Renders all metrics of the server. */
  @FunctionalInterface
  public interface Metrics {
    /**
     * @param accept the {@code Accept} field of the request; null if it has none
     */
    ApiResponse.Content render(@Nullable String accept);
  }

  /**
   * @param document the OpenAPI document in JSON
   * @param page shows the document to people
   * @param waiting what parts of the server wait for, by part; the server is ready nevertheless
   */
  public MonitoringRouteGroup(
      Metrics metrics,
      List<ReadinessCheck> checks,
      byte[] document,
      ApiDocsPage page,
      Clock clock,
      Supplier<Map<String, String>> waiting) {
    this(metrics, checks, document, page, clock, waiting, () -> 0);
  }

  /**
   * As the other constructor.
   *
   * @param unreadableJobs how many jobs are left alone because they cannot be read; the server is
   *     ready nevertheless
   */
  public MonitoringRouteGroup(
      Metrics metrics,
      List<ReadinessCheck> checks,
      byte[] document,
      ApiDocsPage page,
      Clock clock,
      Supplier<Map<String, String>> waiting,
      LongSupplier unreadableJobs) {
    this.unreadableJobs = unreadableJobs;
    this.metrics = metrics;
    this.checks = List.copyOf(checks);
    this.document = new StaticContent("application/json", document, Map.of());
    this.page = page(page);
    this.clock = clock;
    this.waiting = waiting;
  }

  @Override
  public String prefix() {
    return "";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        get(
            "/health/live",
            "getLive",
            KeyScope.NONE,
            request -> ApiResponse.ok(Map.of("status", "ok"))),
        get("/health/ready", "getReady", KeyScope.NONE, request -> ready()),
        get(
            "/liveness",
            "getLiveness",
            KeyScope.NONE,
            request -> ApiResponse.ok(Map.of("status", "ok"))),
        get("/health", "getHealth", KeyScope.NONE, request -> health()),
        get("/metrics", "getMetrics", KeyScope.READ, this::metrics),
        get("/service-metrics", "getServiceMetrics", KeyScope.READ, this::metrics),
        get("/openapi.json", "getOpenApi", KeyScope.NONE, document::respond),
        get("/docs/api.json", "getOpenApiOfDocs", KeyScope.NONE, document::respond),
        get("/docs/api", "getDocs", KeyScope.NONE, page::respond));
  }

  private static Route get(String path, String operation, KeyScope scope, Route.Handler handler) {
    return new Route("GET", path, operation, scope, handler);
  }

  private ApiResponse health() {
    return ApiResponse.ok(
        JsonObject.create()
            .put("status", "ok")
            .put("timestamp", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString())
            .putIfPresent("waiting", waiting())
            .putIfPresent("unreadableJobs", unreadableJobs()));
  }

  /** What is waited for; null if nothing. Not a failure: jobs are accepted meanwhile. */
  private @Nullable JsonObject waiting() {
    JsonObject all = JsonObject.create();
    waiting.get().forEach(all::put);
    return all.values().isEmpty() ? null : all;
  }

  /** A number without names, because no key is needed to read it; null if there is none. */
  private @Nullable Long unreadableJobs() {
    long count = unreadableJobs.getAsLong();
    return count == 0 ? null : count;
  }

  private ApiResponse ready() {
    JsonObject failures = JsonObject.create();
    if (draining) {
      failures.put("server", "it is stopping");
    }
    for (ReadinessCheck check : checks) {
      failure(check).ifPresent(text -> failures.put(check.name(), text));
    }
    boolean ready = failures.values().isEmpty();
    JsonObject body = JsonObject.create().put("status", ready ? "ok" : "unavailable");
    if (!ready) {
      body.put("trouble", failures);
    }
    body.putIfPresent("waiting", waiting());
    body.putIfPresent("unreadableJobs", unreadableJobs());
    return ApiResponse.json(ready ? 200 : 503, body);
  }

  private static Optional<String> failure(ReadinessCheck check) {
    try {
      return check.failure();
    } catch (RuntimeException e) {
      if (FAILED_CHECKS.tryLog()) {
        LOG.log(Level.WARNING, "cannot check " + check.name(), e);
      }
      return Optional.of("it cannot be checked; the server's log says why");
    }
  }

  private ApiResponse metrics(ApiRequest request) {
    return metrics.render(request.header("Accept").orElse(null));
  }

  /** The page, with a policy that lets it load nothing from other sites. */
  private static StaticContent page(ApiDocsPage page) {
    Map<String, String> headers = Map.of("Content-Security-Policy", page.contentSecurityPolicy());
    return new StaticContent("text/html; charset=utf-8", page.bytes(), headers);
  }

  @Override
  public void drain() {
    draining = true;
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    return JsonObject.create()
        .put("message", problem.text())
        .put("code", problem.code() == null ? problem.kind().name() : problem.code());
  }
}

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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What those who run the server ask: is it alive, is it ready, how does it do, what can it do. */
public final class MonitoringRouteGroup implements RouteGroup {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  private final Metrics metrics;
  private final List<ReadinessCheck> checks;
  private final byte[] document;
  private final ApiDocsPage page;
  private final Clock clock;
  private final Supplier<Map<String, String>> waiting;
  private volatile boolean draining;

  /** All figures of the server. */
  @FunctionalInterface
  public interface Metrics {
    /**
     * @param accept what forms the client reads, as it says; null if it says nothing
     */
    ApiResponse.Content render(@Nullable String accept);
  }

  /**
   * @param document the API's document, JSON
   * @param page the same for people
   * @param waiting what the server waits for while it serves all the same, by who waits
   */
  public MonitoringRouteGroup(
      Metrics metrics,
      List<ReadinessCheck> checks,
      byte[] document,
      ApiDocsPage page,
      Clock clock,
      Supplier<Map<String, String>> waiting) {
    this.metrics = metrics;
    this.checks = List.copyOf(checks);
    this.document = document.clone();
    this.page = page;
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
            call -> ApiResponse.ok(Map.of("status", "ok"))),
        get("/health/ready", "getReady", KeyScope.NONE, call -> ready()),
        get(
            "/liveness",
            "getLiveness",
            KeyScope.NONE,
            call -> ApiResponse.ok(Map.of("status", "ok"))),
        get("/health", "getHealth", KeyScope.NONE, call -> health()),
        get("/metrics", "getMetrics", KeyScope.READ, this::metrics),
        get("/service-metrics", "getServiceMetrics", KeyScope.READ, this::metrics),
        get(
            "/openapi.json",
            "getOpenApi",
            KeyScope.NONE,
            call -> content("application/json", document)),
        get("/docs/api", "getDocs", KeyScope.NONE, call -> docs()),
        get("/", "getRoot", KeyScope.NONE, call -> root()));
  }

  private static Route get(String path, String operation, KeyScope scope, Route.Handler handler) {
    return new Route("GET", path, operation, scope, handler);
  }

  private ApiResponse health() {
    return ApiResponse.ok(
        JsonObject.create()
            .put("status", "ok")
            .put("timestamp", clock.instant().truncatedTo(ChronoUnit.MILLIS).toString())
            .putIfPresent("waiting", waiting()));
  }

  /** Jobs are taken meanwhile, so that this is no trouble; null if it waits for nothing. */
  private @Nullable JsonObject waiting() {
    JsonObject all = JsonObject.create();
    waiting.get().forEach(all::put);
    return all.values().isEmpty() ? null : all;
  }

  private ApiResponse ready() {
    JsonObject troubles = JsonObject.create();
    if (draining) {
      troubles.put("server", "it is stopping");
    }
    for (ReadinessCheck check : checks) {
      trouble(check).ifPresent(text -> troubles.put(check.name(), text));
    }
    boolean well = troubles.values().isEmpty();
    JsonObject body = JsonObject.create().put("status", well ? "ok" : "unavailable");
    if (!well) {
      body.put("trouble", troubles);
    }
    body.putIfPresent("waiting", waiting());
    return ApiResponse.json(well ? 200 : 503, body);
  }

  private static Optional<String> trouble(ReadinessCheck check) {
    try {
      return check.failure();
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "cannot check " + check.name(), e);
      return Optional.of("it cannot be checked; the server's log says why");
    }
  }

  private ApiResponse metrics(ApiRequest call) {
    return metrics.render(call.header("Accept").orElse(null));
  }

  private static ApiResponse content(String type, byte[] body) {
    return new ApiResponse.Content(200, Map.of(), type, body);
  }

  /** The page runs nothing from elsewhere, whatever the document's texts may hold. */
  private ApiResponse docs() {
    Map<String, String> headers = Map.of("Content-Security-Policy", page.contentSecurityPolicy());
    return new ApiResponse.Content(200, headers, "text/html; charset=utf-8", page.bytes());
  }

  private static ApiResponse root() {
    return new ApiResponse.Content(302, Map.of("Location", "/docs/api"), "text/plain", new byte[0]);
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

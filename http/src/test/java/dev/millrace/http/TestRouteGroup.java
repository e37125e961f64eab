package dev.millrace.http;

import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A route group for tests, with a few routes. */
final class TestRouteGroup implements RouteGroup {
  private final String prefix;
  private final List<Route> routes = new ArrayList<>();

  TestRouteGroup(String prefix) {
    this.prefix = prefix;
  }

  TestRouteGroup route(String method, String path, KeyScope scope, Route.Handler handler) {
    routes.add(new Route(method, path, method + " " + path, scope, handler));
    return this;
  }

  /** A route that answers with its path, to see which one was reached. */
  TestRouteGroup named(String method, String path) {
    return route(method, path, KeyScope.READ, request -> ApiResponse.ok(Map.of("reached", path)));
  }

  @Override
  public String prefix() {
    return prefix;
  }

  @Override
  public List<Route> routes() {
    return routes;
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    return JsonObject.create()
        .put("group", prefix)
        .put("kind", problem.kind().name())
        .put("message", problem.text())
        .put("requestId", requestId);
  }

  /** Listens with these groups and no OpenAPI document. */
  static HttpService open(HttpSettings settings, RouteGroup... groups) {
    return HttpService.open(settings, List.of(groups), List.of(), id -> Optional.empty());
  }

  static HttpService open(RouteGroup... groups) {
    return open(HttpSettings.loopback(0), groups);
  }
}

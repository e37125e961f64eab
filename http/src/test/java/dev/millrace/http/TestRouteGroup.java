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

/** A face of a few routes. */
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

  /** Answers each path with its own template, to see who was reached. */
  TestRouteGroup named(String method, String path) {
    return route(method, path, KeyScope.READ, call -> ApiResponse.ok(Map.of("reached", path)));
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
        .put("face", prefix)
        .put("kind", problem.kind().name())
        .put("message", problem.text())
        .put("requestId", requestId);
  }

  /** Listens with these faces and no document. */
  static HttpService open(HttpSettings settings, RouteGroup... faces) {
    return HttpService.open(settings, List.of(faces), List.of(), id -> Optional.empty());
  }

  static HttpService open(RouteGroup... faces) {
    return open(HttpSettings.loopback(0), faces);
  }
}

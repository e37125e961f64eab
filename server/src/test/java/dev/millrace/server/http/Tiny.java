package dev.millrace.server.http;

import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A face of a few routes. */
final class Tiny implements Face {
  private final String prefix;
  private final List<Route> routes = new ArrayList<>();

  Tiny(String prefix) {
    this.prefix = prefix;
  }

  Tiny route(String method, String path, Scope scope, Route.Handler handler) {
    routes.add(new Route(method, path, method + " " + path, scope, handler));
    return this;
  }

  /** Answers each path with its own template, to see who was reached. */
  Tiny named(String method, String path) {
    return route(method, path, Scope.READ, call -> Reply.ok(Map.of("reached", path)));
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
  static HttpService open(HttpSettings settings, Face... faces) {
    return HttpService.open(settings, List.of(faces), List.of(), id -> Optional.empty());
  }

  static HttpService open(Face... faces) {
    return open(HttpSettings.loopback(0), faces);
  }
}

package dev.millrace.http.jobnik;

import dev.millrace.api.jobs.KeySession;
import dev.millrace.api.jobs.StateMachine;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.List;
import java.util.stream.Stream;

/** The routes that say what a key may do, and what the states of everything mean. */
final class SessionRoutes {
  private final JsonObject machines =
      JsonObject.create()
          .put("machines", StateMachines.all().stream().map(StateMachine::toJson).toList());

  List<Route> routes() {
    return List.of(
        new Route("GET", "/v1/session", "getKeySession", KeyScope.READ, SessionRoutes::session),
        new Route(
            "GET",
            "/v1/state-machines",
            "getStateMachines",
            KeyScope.NONE,
            _ -> ApiResponse.ok(machines)));
  }

  private static ApiResponse session(ApiRequest call) {
    Principal caller = call.principal();
    List<String> scopes =
        Stream.of(KeyScope.values())
            .filter(scope -> scope != KeyScope.NONE && caller.may(scope))
            .map(KeyScope::word)
            .toList();
    return ApiResponse.ok(new KeySession(caller.name(), scopes, caller.hasKey()).toJson());
  }
}

package dev.millrace.bench.http;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.route.RouteGroup;
import java.util.List;

/**
 * The lower bound for a handler: accepts the request that creates a job, with all checks, creates
 * nothing, and responds with a job as large as a real one.
 */
final class EmptyRouteGroup implements RouteGroup {
  private static final JsonObject JOB =
      Json.object(
          """
          {"id": "00000000-0000-8000-8000-000000000000", "name": "bench",
           "data": {"prompt": "%s"}, "userMetadata": {}, "priority": "MEDIUM",
           "status": "PENDING", "percentage": 0,
           "creationTime": "2026-01-01T00:00:00.000000Z",
           "updateTime": "2026-01-01T00:00:00.000000Z", "sealed": false,
           "traceparent": "00-00000000000000000000000000000000-0000000000000000-00"}
          """
              .formatted(BenchClient.PROMPT));

  @Override
  public String prefix() {
    return "/v1";
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route(
            "POST", "/v1/jobs", "createJob", KeyScope.SUBMIT, _ -> ApiResponse.json(201, JOB)));
  }

  @Override
  public JsonObject error(Problem problem, String requestId) {
    return JsonObject.create().put("message", problem.text()).put("code", problem.kind().name());
  }
}

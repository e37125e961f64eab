package dev.millrace.http.bulk;

import dev.millrace.api.jobs.BulkAction.Kind;
import dev.millrace.api.jobs.BulkResult;
import dev.millrace.core.event.Cause;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.job.WebhookPolicy;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The route that changes many jobs. The jobs are those whose ids it gets: what a search finds by now
 * does not matter. The log of each job says who did it and why, and the server's log has a line for
 * the request, as a job that is deleted has no log left.
 */
public final class BulkRoutes {
  /** The most jobs of one request. */
  static final int MAX_JOBS = 1_000;

  private static final Logger LOG = System.getLogger("dev.millrace.server");

  private final EntityLookup lookup;
  private final WebhookPolicy webhooks;

  public BulkRoutes(EntityLookup lookup, WebhookPolicy webhooks) {
    this.lookup = lookup;
    this.webhooks = webhooks;
  }

  public List<Route> routes() {
    return List.of(new Route("POST", "/v1/jobs/bulk", "changeJobs", KeyScope.SUBMIT, this::change));
  }

  private ApiResponse change(ApiRequest call) {
    JsonObject body = call.bodyObject();
    Kind action = Kind.valueOf(body.string("action").toUpperCase(Locale.ROOT));
    String comment = body.string("comment", null);
    Cause cause = Cause.user(call.principal().name(), comment);
    BulkRunner runner = new BulkRunner(lookup, webhooks, action, cause, call.principal().keyName());
    Set<String> ids = new LinkedHashSet<>(); // a job that is named twice is changed once
    body.list("jobs").forEach(id -> ids.add(String.valueOf(id).toLowerCase(Locale.ROOT)));
    List<BulkResult.Outcome> outcomes = new ArrayList<>();
    try {
      ids.forEach(id -> outcomes.add(runner.run(id)));
    } finally {
      log(
          call,
          action,
          comment,
          BulkResult.of(outcomes),
          ids.size()); // also where the store failed
    }
    return ApiResponse.ok(BulkResult.of(outcomes).toJson());
  }

  private static void log(
      ApiRequest call, Kind action, @Nullable String comment, BulkResult result, int asked) {
    String done =
        result.outcomes().stream()
            .filter(BulkResult.Outcome::done)
            .map(outcome -> outcome.jobId().toString())
            .collect(Collectors.joining(", "));
    LOG.log(
        Level.INFO,
        "request "
            + call.requestId()
            + ": \""
            + call.principal().name()
            + "\" asked to "
            + action.word()
            + " "
            + asked
            + " jobs; done "
            + result.done()
            + ", refused "
            + result.refused()
            + (comment == null ? "" : ": " + Json.write(comment))
            + (action == Kind.DELETE && !done.isEmpty() ? "; deleted " + done : ""));
  }
}

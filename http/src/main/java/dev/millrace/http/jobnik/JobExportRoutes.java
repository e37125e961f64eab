package dev.millrace.http.jobnik;

import dev.millrace.api.TaskTerms;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.ResponseBudget;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.PageRequest;
import dev.millrace.http.route.Route;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The routes that show what a client needs to run a job again, or to check its results. */
final class JobExportRoutes {
  private static final int BATCH = 1_000;

  private final JobStore store;
  private final EntityLookup lookup;

  JobExportRoutes(EntityLookup lookup) {
    this.store = lookup.store();
    this.lookup = lookup;
  }

  /** The document has the URLs of webhooks, which may be secrets: a key for reading is too weak. */
  List<Route> routes() {
    return List.of(
        new Route(
            "GET", "/v1/pipelines/{jobId}", "getPipeline", KeyScope.SUBMIT, this::getPipeline),
        new Route("GET", "/v1/jobs/{jobId}/terms", "getJobTerms", KeyScope.READ, this::getTerms));
  }

  private ApiResponse getPipeline(ApiRequest call) {
    String text = call.pathParameter("jobId");
    JsonObject document =
        store
            .spec(lookup.jobId(text))
            .map(spec -> JobDocument.write(spec, true))
            .orElseThrow(() -> JobnikProblems.noJob(text));
    call.reserveMemory(JsonTextSize.of(document));
    return ApiResponse.ok(document);
  }

  /**
   * One page of frozen terms, in the order of the log. A page ends early where many other entries
   * lie between them, so that no request reads a long log at once.
   */
  private ApiResponse getTerms(ApiRequest call) {
    JobView job = lookup.job(call.pathParameter("jobId"));
    JobId id = job.header().id();
    int limit = PageRequest.limit(call, PageRequest.MAX);
    long last = cursor(call);
    int visitsLeft = PageBuilder.MAX_VISITS;
    ResponseBudget budget = new ResponseBudget();
    List<JsonObject> found = new ArrayList<>();
    while (found.size() < limit && visitsLeft > 0 && !budget.isFull()) {
      List<LogEntry> entries = store.events(id, last, BATCH);
      if (entries.isEmpty()) {
        break;
      }
      for (LogEntry entry : entries) {
        last = entry.number();
        visitsLeft--;
        if (entry.fact() instanceof Fact.TermsFrozen terms) {
          found.add(json(call, id, terms, budget));
          if (found.size() == limit || budget.isFull()) {
            break;
          }
        }
      }
    }
    Map<String, String> headers =
        last < job.lastEvent() ? PageRequest.nextPageHeaders(call, Long.toString(last)) : Map.of();
    return new ApiResponse.Json(200, headers, found);
  }

  private static JsonObject json(
      ApiRequest call, JobId id, Fact.TermsFrozen terms, ResponseBudget budget) {
    JsonObject json =
        new TaskTerms(
                new EntityId(id, terms.stage(), terms.task()).uuid(),
                terms.stage(),
                terms.task(),
                terms.terms())
            .toJson();
    long characters = JsonTextSize.of(json);
    call.reserveMemory(characters);
    budget.add(characters);
    return json;
  }

  /** The number of the log entry that the page before ended with. */
  private static long cursor(ApiRequest call) {
    String text = call.query("cursor").orElse("0");
    if (!text.matches("\\d{1,18}")) {
      throw JobnikProblems.invalid(
          "request/query/cursor must be what the page before gave as its next cursor");
    }
    return Long.parseLong(text);
  }
}

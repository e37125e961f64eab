package dev.millrace.http.jobnik;

import dev.millrace.api.jobs.JobLogPage;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.jobnik.entity.RequestParameters;
import dev.millrace.http.jobnik.entity.ResponseBudget;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The route that reads the log of a job: what happened to it, when, and who did it. */
final class JobLogRoutes {
  /** The most entries in one answer. */
  private static final int MAX_ENTRIES = 1_000;

  private static final int ANY_NUMBER = 999_999_999;

  /** The fields of an entry that are texts for people. */
  private static final List<String> TEXTS =
      List.of("comment", "error", "reason", "line", "unresolved");

  private final JobStore store;
  private final EntityLookup lookup;

  JobLogRoutes(EntityLookup lookup) {
    this.store = lookup.store();
    this.lookup = lookup;
  }

  List<Route> routes() {
    return List.of(new Route("GET", "/v1/jobs/{jobId}/log", "getJobLog", KeyScope.READ, this::log));
  }

  private ApiResponse log(ApiRequest call) {
    JobView job = lookup.job(call.pathParameter("jobId"));
    int limit = RequestParameters.numberOr(call, "limit", MAX_ENTRIES, 1, MAX_ENTRIES);
    long last = RequestParameters.numberOr(call, "after", 0, 0, ANY_NUMBER);
    List<JsonObject> entries = new ArrayList<>();
    ResponseBudget budget = new ResponseBudget();
    List<LogEntry> read = read(job.header().id(), last, limit, budget);
    while (!read.isEmpty() && !budget.isFull()) {
      for (LogEntry entry : read) {
        entries.add(add(call, entry, budget));
        last = entry.number();
        if (budget.isFull()) {
          break;
        }
      }
      read =
          entries.size() == limit
              ? List.of()
              : read(job.header().id(), last, limit - entries.size(), budget);
    }
    Long next = !entries.isEmpty() && last < job.lastEvent() ? (Long) last : null;
    return ApiResponse.ok(
        new JobLogPage(entries, next, Math.max(last(entries), job.lastEvent())).toJson());
  }

  private List<LogEntry> read(JobId id, long after, int most, ResponseBudget budget) {
    return store.events(id, after, budget.batchSize(most));
  }

  /** The log may have grown since the job was read. */
  private static long last(List<JsonObject> entries) {
    return entries.isEmpty() ? 0 : entries.getLast().integer("n");
  }

  private static JsonObject add(ApiRequest call, LogEntry entry, ResponseBudget budget) {
    JsonObject json = LogEntryJson.toJson(entry);
    for (String name : TEXTS) {
      @Nullable Object text = json.get(name);
      if (text instanceof String value) {
        json.put(name, SecretRedactor.redact(value));
      }
    }
    long characters = JsonTextSize.of(json);
    call.reserveMemory(characters);
    budget.add(characters);
    return json;
  }
}

package dev.millrace.http.search;

import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.jobnik.entity.RequestParameters;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import dev.millrace.http.search.JobFilter.Text;
import dev.millrace.http.search.JobSearch.Part;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The route that searches jobs. */
public final class SearchRoutes {
  /** The most jobs in one answer. */
  private static final int MAX_ROWS = 1_000;

  private static final int DEFAULT_ROWS = 100;
  private static final int ANY_OFFSET = 999_999_999;

  /** The most ids in one answer. */
  private static final int MAX_IDS = 100_000;

  /** The most characters of a text to find. */
  private static final int MAX_TEXT = 200;

  private final JobSearch search;

  public SearchRoutes(JobSearch search) {
    this.search = search;
  }

  public List<Route> routes() {
    return List.of(
        new Route("GET", "/v1/jobs/search", "searchJobs", KeyScope.READ, this::searchJobs));
  }

  private ApiResponse searchJobs(ApiRequest call) {
    boolean idsOnly = RequestParameters.flag(call, "ids_only");
    int limit =
        idsOnly
            ? RequestParameters.numberOr(call, "limit", MAX_IDS, 0, MAX_IDS)
            : RequestParameters.numberOr(call, "limit", DEFAULT_ROWS, 0, MAX_ROWS);
    boolean newest = !"oldest".equals(call.query("sort").orElse("newest"));
    int offset = RequestParameters.numberOr(call, "offset", 0, 0, ANY_OFFSET);
    Part part = new Part(newest, offset, limit);
    JsonObject answer =
        idsOnly
            ? search.ids(filter(call), part).toJson()
            : search.find(filter(call), part).toJson();
    call.reserveMemory(JsonTextSize.of(answer));
    return ApiResponse.ok(answer);
  }

  private static JobFilter filter(ApiRequest call) {
    return new JobFilter(
        states(call),
        call.query("type").orElse(null),
        call.query("tag").orElse(null),
        call.query("model").orElse(null),
        call.query("key").orElse(null),
        call.query("text").map(SearchRoutes::text).orElse(null),
        RequestParameters.flag(call, "waits_for_approval"),
        RequestParameters.time(call, "from_date"),
        RequestParameters.time(call, "end_date"));
  }

  private static Set<JobState> states(ApiRequest call) {
    Set<JobState> states = EnumSet.noneOf(JobState.class);
    String text = call.query("status").orElse("");
    for (String word : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      states.add(state(word));
    }
    return states;
  }

  private static JobState state(String word) {
    try {
      return JobState.valueOf(word);
    } catch (IllegalArgumentException e) {
      throw JobnikProblems.invalid(
          "request/query/status must list statuses of jobs ("
              + String.join(",", List.of(JobState.values()).stream().map(Enum::name).toList())
              + "), got \""
              + word
              + "\"");
    }
  }

  private static Text text(String wanted) {
    String text = wanted.strip();
    if (text.isEmpty() || text.length() > MAX_TEXT) {
      throw JobnikProblems.invalid(
          "request/query/text must have 1 to " + MAX_TEXT + " characters that are not all blank");
    }
    return new Text(text);
  }
}

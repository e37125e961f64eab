package dev.millrace.http.search;

import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Route;
import dev.millrace.http.search.JobFilter.Text;
import dev.millrace.http.search.JobSearch.Part;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The route that searches jobs. */
public final class SearchRoutes {
  /** The most jobs in one answer. */
  private static final int MAX_ROWS = 1_000;

  private static final int DEFAULT_ROWS = 100;

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
    boolean idsOnly = flag(call, "ids_only");
    int limit =
        idsOnly
            ? number(call, "limit", MAX_IDS, MAX_IDS)
            : number(call, "limit", DEFAULT_ROWS, MAX_ROWS);
    boolean newest = !"oldest".equals(call.query("sort").orElse("newest"));
    Part part = new Part(newest, number(call, "offset", 0, Integer.MAX_VALUE), limit);
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
        flag(call, "waits_for_approval"),
        time(call, "from_date"),
        time(call, "end_date"));
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

  private static boolean flag(ApiRequest call, String name) {
    return call.query(name).map(Boolean::parseBoolean).orElse(false);
  }

  private static int number(ApiRequest call, String name, int otherwise, int most) {
    String text = call.query(name).orElse(null);
    if (text == null) {
      return otherwise;
    }
    if (text.matches("\\d{1,9}") && Integer.parseInt(text) <= most) {
      return Integer.parseInt(text);
    }
    throw JobnikProblems.invalid(
        "request/query/" + name + " must be a whole number from 0 to " + most);
  }

  private static @Nullable Instant time(ApiRequest call, String name) {
    String text = call.query(name).orElse(null);
    try {
      return text == null ? null : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException e) {
      throw JobnikProblems.invalid(
          "request/query/"
              + name
              + " must be a time such as 2026-01-31T09:00:00Z, got \""
              + text
              + "\"");
    }
  }
}

package dev.millrace.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.jobnik.entity.ResponseBudget;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.PageRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Builds one page of a list. The page ends when it is full, or when the scan has visited so many
 * entities that the request would take too long. The next page starts after the last visited
 * entity.
 */
final class PageBuilder {
  /** The most jobs, stages and tasks to visit for a page. */
  static final int MAX_VISITS = 10_000;

  private final ApiRequest call;
  private final PageRequest page;
  private final List<JsonObject> entries = new ArrayList<>();
  private final ResponseBudget budget = new ResponseBudget();
  private int visitsLeft = MAX_VISITS;
  private @Nullable EntityId last;
  private boolean hasMore;

  PageBuilder(ApiRequest call) {
    this.call = call;
    this.page = PageRequest.of(call, PageRequest.MAX);
  }

  /** The last entity of the previous page; null on the first page. */
  @Nullable EntityId after() {
    return page.after();
  }

  /** How many more entries fit. */
  int entriesLeft() {
    return page.limit() - entries.size();
  }

  /** How many more entities may be visited. */
  int visitsLeft() {
    return visitsLeft;
  }

  /** Visits an entity; false if the page has ended before it. */
  boolean visit(EntityId id) {
    if (entriesLeft() == 0 || visitsLeft == 0 || budget.isFull()) {
      hasMore = true;
      return false;
    }
    visitsLeft--;
    last = id;
    return true;
  }

  /** Counts the parts of a visited entity, such as the stages of a job. */
  void countVisits(int parts) {
    visitsLeft = Math.max(0, visitsLeft - parts);
  }

  /** How many entities to read at once, 1 to {@code most}. */
  int batchSize(int most) {
    return budget.batchSize(most);
  }

  /** Adds the visited entity to the page. */
  void add(JsonObject entity) {
    long characters = JsonTextSize.of(entity);
    call.reserveMemory(characters);
    budget.add(characters);
    entries.add(entity);
  }

  /** Leaves the visited entity out; its size still counts, because it was read. */
  void skip(JsonObject entity) {
    budget.add(JsonTextSize.of(entity));
  }

  ApiResponse reply() {
    return reply(list -> list);
  }

  /**
   * @param body makes the body of the answer from the entries of this page
   */
  ApiResponse reply(Function<List<JsonObject>, Object> body) {
    Map<String, String> headers =
        hasMore && last != null ? page.nextPageHeaders(call, last) : Map.of();
    return new ApiResponse.Json(200, headers, body.apply(entries));
  }
}

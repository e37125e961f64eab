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
import org.jspecify.annotations.Nullable;

/**
 * One page of a list in the making. It ends when it is full, or when so much was looked at that
 * others have waited long enough; what was looked at last is where the next page goes on.
 */
final class PageBuilder {
  /** Most jobs, stages and tasks that are looked at for a page. */
  static final int MAX_VISITS = 10_000;

  private final ApiRequest call;
  private final PageRequest page;
  private final List<JsonObject> found = new ArrayList<>();
  private final ResponseBudget portion = new ResponseBudget();
  private int visitsLeft = MAX_VISITS;
  private @Nullable EntityId last;
  private boolean cut;

  PageBuilder(ApiRequest call) {
    this.call = call;
    this.page = PageRequest.of(call, PageRequest.MAX);
  }

  /** What the page before ended with; null on the first. */
  @Nullable EntityId after() {
    return page.after();
  }

  /** How many more it takes. */
  int entriesLeft() {
    return page.limit() - found.size();
  }

  /** How much more may be looked at. */
  int visitsLeft() {
    return visitsLeft;
  }

  /** Looks at something, unless the page has ended: then it says that there is more. */
  boolean visit(EntityId at) {
    if (entriesLeft() == 0 || visitsLeft == 0 || portion.isFull()) {
      cut = true;
      return false;
    }
    visitsLeft--;
    last = at;
    return true;
  }

  /** Counts what comes along with something that was looked at. */
  void countVisits(int parts) {
    visitsLeft = Math.max(0, visitsLeft - parts);
  }

  /** How many of {@code most} to read at once. */
  int batchSize(int most) {
    return portion.batchSize(most);
  }

  /** Takes what was looked at on the page. */
  void add(JsonObject entity) {
    long weight = JsonTextSize.of(entity);
    call.reserveMemory(weight);
    portion.add(weight);
    found.add(entity);
  }

  /** Leaves it out; it was read all the same. */
  void skip(JsonObject entity) {
    portion.add(JsonTextSize.of(entity));
  }

  ApiResponse reply() {
    Map<String, String> headers = cut && last != null ? page.nextPageHeaders(call, last) : Map.of();
    return new ApiResponse.Json(200, headers, found);
  }
}

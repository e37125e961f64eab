package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Page;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list in the making. It ends when it is full, or when so much was looked at that
 * others have waited long enough; what was looked at last is where the next page goes on.
 */
final class Listing {
  /** Most jobs, stages and tasks that are looked at for a page. */
  static final int MOST_LOOKS = 10_000;

  private final Call call;
  private final Page page;
  private final List<JsonObject> found = new ArrayList<>();
  private final Portion portion = new Portion();
  private int looks = MOST_LOOKS;
  private @Nullable EntityId last;
  private boolean cut;

  Listing(Call call) {
    this.call = call;
    this.page = Page.of(call, Page.MAX);
  }

  /** What the page before ended with; null on the first. */
  @Nullable EntityId after() {
    return page.after();
  }

  /** How many more it takes. */
  int room() {
    return page.limit() - found.size();
  }

  /** How much more may be looked at. */
  int looks() {
    return looks;
  }

  /** Looks at something, unless the page has ended: then it says that there is more. */
  boolean look(EntityId at) {
    if (room() == 0 || looks == 0 || portion.isFull()) {
      cut = true;
      return false;
    }
    looks--;
    last = at;
    return true;
  }

  /** Counts what comes along with something that was looked at. */
  void spend(int parts) {
    looks = Math.max(0, looks - parts);
  }

  /** How many of {@code most} to read at once. */
  int step(int most) {
    return portion.step(most);
  }

  /** Takes what was looked at on the page. */
  void add(JsonObject entity) {
    long weight = Weight.of(entity);
    call.hold(weight);
    portion.add(weight);
    found.add(entity);
  }

  /** Leaves it out; it was read all the same. */
  void leaveOut(JsonObject entity) {
    portion.add(Weight.of(entity));
  }

  Reply reply() {
    Map<String, String> headers = cut && last != null ? page.headers(call, last) : Map.of();
    return new Reply.Json(200, headers, found);
  }
}

package dev.millrace.server.http.jobnik;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The tasks that one request is given: as many as it asks for, or as one answer holds. They are its
 * client's once the answer is out; whatever comes in between puts them back.
 */
final class Handout {
  private final Dispatcher dispatcher;
  private final Lineages lineages;
  private final Call call;
  private final Portion portion = new Portion();
  private final List<Claim> claims = new ArrayList<>();
  private final List<JsonObject> tasks = new ArrayList<>();

  Handout(Dispatcher dispatcher, Lineages lineages, Call call) {
    this.dispatcher = dispatcher;
    this.lineages = lineages;
    this.call = call;
  }

  /** Claims tasks; waits for the first as long as the order allows. */
  List<JsonObject> fill(Order order) throws InterruptedException {
    boolean done = false;
    try {
      List<Claim> found = dispatcher.claim(order.of(portion.step(order.limit())));
      while (!found.isEmpty()) {
        claims.addAll(found);
        found.forEach(this::add);
        int left = order.limit() - claims.size();
        found =
            left == 0 || portion.isFull()
                ? List.of()
                : dispatcher.more(order.of(portion.step(left)));
      }
      done = true;
      return tasks;
    } finally {
      if (!done) {
        takeBack();
      }
    }
  }

  private void add(Claim claim) {
    JsonObject task = TaskJson.claimed(lineages.of(claim.job(), claim.hold().stage()), claim);
    long weight = Weight.of(task);
    call.hold(weight);
    portion.add(weight);
    tasks.add(task);
  }

  /** The answer that hands them out. */
  Reply reply(Object body) {
    return new Reply.Json(200, Map.of(), body, claims.isEmpty() ? null : this::takeBack);
  }

  /** Nobody has got them: they wait for the next, and it cost them no attempt. */
  private void takeBack() {
    dispatcher.takeBack(claims);
  }
}

package dev.millrace.http.jobnik.claim;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.http.jobnik.entity.ApiTaskMapper;
import dev.millrace.http.jobnik.entity.ResponseBudget;
import dev.millrace.http.jobnik.entity.StageContext;
import dev.millrace.http.jobnik.entity.StageContextCache;
import dev.millrace.http.limits.JsonTextSize;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The tasks that one request is given: as many as it asks for, or as one answer holds. They are its
 * client's once the answer is out; whatever comes in between puts them back.
 */
public final class DequeueResponse {
  private final TaskDispatcher dispatcher;
  private final StageContextCache contexts;
  private final ApiRequest call;
  private final ResponseBudget portion = new ResponseBudget();
  private final List<Claim> claims = new ArrayList<>();
  private final List<JsonObject> tasks = new ArrayList<>();

  public DequeueResponse(TaskDispatcher dispatcher, StageContextCache lineages, ApiRequest call) {
    this.dispatcher = dispatcher;
    this.contexts = lineages;
    this.call = call;
  }

  /** Claims tasks; waits for the first as long as the order allows. */
  public List<JsonObject> claimTasks(DequeueRequest order) throws InterruptedException {
    boolean done = false;
    try {
      List<Claim> found = dispatcher.claim(order.withLimit(portion.batchSize(order.limit())));
      while (!found.isEmpty()) {
        claims.addAll(found);
        found.forEach(this::add);
        int left = order.limit() - claims.size();
        found =
            left == 0 || portion.isFull()
                ? List.of()
                : dispatcher.claimNow(order.withLimit(portion.batchSize(left)));
      }
      done = true;
      return tasks;
    } finally {
      if (!done) {
        releaseClaims();
      }
    }
  }

  private void add(Claim claim) {
    StageContext context = contexts.of(claim.job(), claim.key().stage());
    JsonObject task = ApiTaskMapper.claimed(context, claim).toJson();
    long weight = JsonTextSize.of(task);
    call.reserveMemory(weight);
    portion.add(weight);
    tasks.add(task);
  }

  /** The answer that hands them out. */
  public ApiResponse reply(Object body) {
    return new ApiResponse.Json(200, Map.of(), body, claims.isEmpty() ? null : this::releaseClaims);
  }

  /** Nobody has got them: they wait for the next, and it cost them no attempt. */
  private void releaseClaims() {
    dispatcher.releaseAll(claims);
  }
}

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
 * The tasks for one dequeue request: as many as it asks for, or as fit in one answer. If the answer
 * cannot be sent, the tasks are released.
 */
public final class DequeueResponse {
  private final TaskDispatcher dispatcher;
  private final StageContextCache contexts;
  private final ApiRequest call;
  private final ResponseBudget budget = new ResponseBudget();
  private final List<Claim> claims = new ArrayList<>();
  private final List<JsonObject> tasks = new ArrayList<>();

  public DequeueResponse(TaskDispatcher dispatcher, StageContextCache contexts, ApiRequest call) {
    this.dispatcher = dispatcher;
    this.contexts = contexts;
    this.call = call;
  }

  /** Claims tasks; waits for the first one as long as the request allows. */
  public List<JsonObject> claimTasks(DequeueRequest request) throws InterruptedException {
    boolean done = false;
    try {
      List<Claim> found = dispatcher.claim(request.withLimit(budget.batchSize(request.limit())));
      while (!found.isEmpty()) {
        claims.addAll(found);
        found.forEach(this::add);
        int left = request.limit() - claims.size();
        found =
            left == 0 || budget.isFull()
                ? List.of()
                : dispatcher.claimNow(request.withLimit(budget.batchSize(left)));
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
    long characters = JsonTextSize.of(task);
    call.reserveMemory(characters);
    budget.add(characters);
    tasks.add(task);
  }

  /** The answer; its tasks are released if it cannot be sent. */
  public ApiResponse reply(Object body) {
    return new ApiResponse.Json(200, Map.of(), body, claims.isEmpty() ? null : this::releaseClaims);
  }

  /** Returns the tasks to the queue; costs no attempt. */
  private void releaseClaims() {
    dispatcher.releaseAll(claims);
  }
}

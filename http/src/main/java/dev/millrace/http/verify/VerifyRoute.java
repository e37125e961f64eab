package dev.millrace.http.verify;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.auth.KeyScope;
import dev.millrace.http.inference.ClientWatch;
import dev.millrace.http.jobnik.entity.EntityLookup;
import dev.millrace.http.route.ApiRequest;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.Problem;
import dev.millrace.http.route.Route;
import dev.millrace.http.stream.EventStream;
import dev.millrace.server.infer.FrozenTask;
import dev.millrace.server.infer.LoggedTerms;
import dev.millrace.server.infer.VerifyRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** {@code POST /v1/tasks/{taskId}/verify}: runs a finished task again and compares the bytes. */
public final class VerifyRoute {
  /** How many tasks are run again at once: they take slots from tasks that wait. */
  static final int MAX_AT_ONCE = 4;

  private static final String NOT_VERIFIABLE = "TASK_NOT_VERIFIABLE";

  private final EntityLookup lookup;
  private final VerifierAccess models;
  private final Duration keepAlive;
  private final Semaphore permits = new Semaphore(MAX_AT_ONCE);

  public VerifyRoute(EntityLookup lookup, VerifierAccess models) {
    this(lookup, models, EventStream.KEEP_ALIVE_INTERVAL);
  }

  /**
   * @param keepAlive the longest silence of a stream
   */
  VerifyRoute(EntityLookup lookup, VerifierAccess models, Duration keepAlive) {
    this.lookup = lookup;
    this.models = models;
    this.keepAlive = keepAlive;
  }

  public List<Route> routes() {
    return List.of(
        new Route(
            "POST", "/v1/tasks/{taskId}/verify", "verifyTask", KeyScope.SUBMIT, this::verify));
  }

  private ApiResponse verify(ApiRequest call) {
    VerifyRequest request = request(lookup.taskId(call.pathParameter("taskId")));
    VerifierAccess.Verifier verifier = models.require();
    call.reserveStream();
    if (!permits.tryAcquire()) {
      throw new Problem(
          Problem.Kind.TOO_MANY_REQUESTS,
          null,
          MAX_AT_ONCE + " tasks are being verified; try again when one has ended",
          null,
          Map.of("Retry-After", "5"));
    }
    Verification verification = new Verification(request, verifier, permits);
    ClientWatch watch = new ClientWatch(call, keepAlive, System::nanoTime);
    return EventStream.response(events -> verification.write(events, watch), verification::abandon);
  }

  private VerifyRequest request(EntityId id) {
    TaskView task = lookup.task(id);
    JobView job = lookup.job(id.job());
    StageView stage = job.stages().get(id.stage() - 1);
    if (task.state() != TaskState.COMPLETED) {
      throw new Problem(
          Problem.Kind.INVALID,
          "TASK_NOT_COMPLETED",
          "the task is " + task.state() + ": only a COMPLETED task has a result to compare");
    }
    return FrozenTask.of(stage, task, terms(stage, id))
        .map(frozen -> frozen.request(job))
        .orElseThrow(
            () ->
                new Problem(
                    Problem.Kind.INVALID,
                    NOT_VERIFIABLE,
                    "no model of Millrace made the task's result: its type is \""
                        + stage.type()
                        + "\", and its job's log has no terms for it"));
  }

  /** A log may be long, and only tasks to generate have terms in it. */
  private @Nullable JsonObject terms(StageView stage, EntityId id) {
    return stage.type().equals("generate") ? LoggedTerms.of(lookup.store(), id) : null;
  }
}

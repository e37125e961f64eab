package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Answer.Reason;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.store.Controls.Added;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Problem;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.Route;
import dev.millrace.server.http.Scope;
import dev.millrace.server.http.Weight;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** What can be done with stages. */
final class StageRoutes {
  /** Most tasks that come along with a stage; fewer where they are large. */
  private static final int TASKS_ALONG = 1_000;

  private final JobStore store;
  private final Lookup lookup;

  StageRoutes(Lookup lookup) {
    this.store = lookup.store();
    this.lookup = lookup;
  }

  List<Route> routes() {
    String one = "/v1/stages/{stageId}";
    return List.of(
        new Route("GET", "/v1/jobs/{jobId}/stages", "getStagesByJobId", Scope.READ, this::ofJob),
        new Route("POST", "/v1/jobs/{jobId}/stage", "addStage", Scope.SUBMIT, this::add),
        new Route("GET", "/v1/stages", "getStages", Scope.READ, this::find),
        new Route("GET", one, "getStageById", Scope.READ, this::get),
        new Route("GET", one + "/summary", "getStageSummary", Scope.READ, this::summary),
        new Route(
            "PATCH",
            one + "/user-metadata",
            "updateStageUserMetadata",
            Scope.SUBMIT,
            this::describe),
        new Route("PUT", one + "/status", "updateStageStatus", Scope.SUBMIT, this::move));
  }

  private Reply ofJob(Call call) {
    return list(call, call.parameter("jobId"));
  }

  private Reply find(Call call) {
    String job = call.query("job_id").orElse(null);
    if (job != null) {
      return list(call, job);
    }
    Listing listing = new Listing(call);
    new Walk(store, listing).stages(Filters.OfStages.of(call), json(call, listing));
    return listing.reply();
  }

  private Reply list(Call call, String job) {
    JobView view = lookup.job(job);
    Listing listing = new Listing(call);
    new Walk(store, listing).stages(view, Filters.OfStages.of(call), json(call, listing));
    return listing.reply();
  }

  private Function<Lookup.InJob, JsonObject> json(Call call, Listing listing) {
    boolean tasks = Parameters.flag(call, "should_return_tasks");
    return stage -> {
      listing.spend(tasks ? Math.min(TASKS_ALONG, stage.stage().total()) : 0);
      return json(stage, tasks);
    };
  }

  private JsonObject json(Lookup.InJob stage, boolean withTasks) {
    JsonObject out = StageJson.of(stage.job(), stage.stage());
    if (withTasks) {
      out.put("tasks", tasks(stage.lineage()));
    }
    return out;
  }

  /** The first of them, as many as go along. */
  private List<JsonObject> tasks(Lineage lineage) {
    Portion portion = new Portion();
    List<JsonObject> tasks = new ArrayList<>();
    while (tasks.size() < TASKS_ALONG && !portion.isFull()) {
      int most = portion.step(TASKS_ALONG - tasks.size());
      List<TaskView> next = store.tasks(lineage.job(), lineage.stage(), tasks.size() + 1, most);
      for (TaskView task : next) {
        JsonObject json = TaskJson.of(lineage, task);
        portion.add(Weight.of(json));
        tasks.add(json);
      }
      if (next.size() < most) {
        break;
      }
    }
    return tasks;
  }

  private Reply add(Call call) {
    JobView job = lookup.job(call.parameter("jobId"));
    JobId id = job.header().id();
    Added added =
        store.addStage(id, Documents.stage(call, job.stages().size() + 1), Parameters.cause(call));
    if (!added.answer().done()) {
      throw Refusals.of(added.answer(), Refusals.noJob(call.parameter("jobId")));
    }
    JobView now = lookup.job(id);
    return Reply.json(201, StageJson.of(now, now.stages().get(added.first() - 1)));
  }

  private Reply get(Call call) {
    return Reply.ok(json(stage(call), Parameters.flag(call, "should_return_tasks")));
  }

  private Reply summary(Call call) {
    return Reply.ok(StageJson.summary(stage(call).stage()));
  }

  private Reply describe(Call call) {
    Lookup.InJob of = stage(call);
    Answer answer =
        store.describe(
            of.job().header().id(), of.stage().number(), 0, call.object(), Parameters.cause(call));
    return reply(call, answer);
  }

  /**
   * The only way for a user is from WAITING to PENDING. What is there already, or was approved and
   * has gone on, stays where it is: the wish may be repeated because its answer was lost.
   */
  private Reply move(Call call) {
    Lookup.InJob of = stage(call);
    StageState state = of.stage().state();
    if (state == StageState.PENDING || state == StageState.IN_PROGRESS && of.stage().gate()) {
      return Codes.STAGE_MODIFIED_SUCCESSFULLY.reply();
    }
    Answer answer =
        store.approve(of.job().header().id(), of.stage().number(), Parameters.cause(call));
    if (answer instanceof Answer.Refused refused) {
      throw refusal(refused.reason(), stage(call).stage());
    }
    return reply(call, answer);
  }

  private static Problem refusal(Reason reason, StageView stage) {
    return reason == Reason.PREVIOUS_STAGE || stage.state() == StageState.CREATED
        ? Refusals.previousStage()
        : Refusals.transition("STAGE", stage.state(), StageState.PENDING);
  }

  private Lookup.InJob stage(Call call) {
    return lookup.stage(call.parameter("stageId"));
  }

  private static Reply reply(Call call, Answer answer) {
    if (!answer.done()) {
      throw Refusals.of(answer, Refusals.noStage(call.parameter("stageId")));
    }
    return Codes.STAGE_MODIFIED_SUCCESSFULLY.reply();
  }
}

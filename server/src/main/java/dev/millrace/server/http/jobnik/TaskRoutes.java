package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Controls.Added;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.TaskView;
import dev.millrace.server.http.Call;
import dev.millrace.server.http.Reply;
import dev.millrace.server.http.Route;
import dev.millrace.server.http.Scope;
import java.util.List;

/** What can be done with tasks by those who do not work on them. */
final class TaskRoutes {
  private final JobStore store;
  private final Lookup lookup;
  private final Lineages lineages;

  TaskRoutes(Lookup lookup, Lineages lineages) {
    this.store = lookup.store();
    this.lookup = lookup;
    this.lineages = lineages;
  }

  List<Route> routes() {
    String ofStage = "/v1/stages/{stageId}/tasks";
    String one = "/v1/tasks/{taskId}";
    return List.of(
        new Route("GET", ofStage, "getTasksByStageId", Scope.READ, this::ofStage),
        new Route("POST", ofStage, "addTasks", Scope.SUBMIT, this::add),
        new Route("GET", "/v1/tasks", "getTasks", Scope.READ, this::find),
        new Route("GET", one, "getTaskById", Scope.READ, this::get),
        new Route(
            "PATCH",
            one + "/user-metadata",
            "updateTaskUserMetadata",
            Scope.SUBMIT,
            this::describe));
  }

  private Reply ofStage(Call call) {
    return list(call, call.parameter("stageId"), Filters.OfTasks.ALL);
  }

  private Reply find(Call call) {
    Filters.OfTasks filter = Filters.OfTasks.of(call);
    String stage = call.query("stage_id").orElse(null);
    if (stage != null) {
      return list(call, stage, filter);
    }
    Listing listing = new Listing(call);
    new Walk(store, listing).tasks(filter);
    return listing.reply();
  }

  private Reply list(Call call, String stage, Filters.OfTasks filter) {
    Lookup.InJob of = lookup.stage(stage);
    Listing listing = new Listing(call);
    if (filter.mayAccept(of.stage())) {
      new Walk(store, listing).tasks(of, filter);
    }
    return listing.reply();
  }

  private Reply add(Call call) {
    String name = call.parameter("stageId");
    Lookup.InJob of = lookup.stage(name);
    Lineage lineage = of.lineage();
    List<TaskSpec> tasks = Documents.tasks(call);
    Added added = store.addTasks(lineage.job(), lineage.stage(), tasks, Parameters.cause(call));
    if (!added.answer().done()) {
      throw Refusals.of(added.answer(), Refusals.noStage(name));
    }
    List<TaskView> made =
        tasks.isEmpty()
            ? List.of()
            : store.tasks(lineage.job(), lineage.stage(), added.first(), tasks.size());
    return Reply.json(201, made.stream().map(task -> TaskJson.of(lineage, task)).toList());
  }

  private Reply get(Call call) {
    EntityId id = lookup.taskId(call.parameter("taskId"));
    TaskView task = lookup.task(id);
    return Reply.ok(TaskJson.of(lineages.of(id.job(), id.stage()), task));
  }

  private Reply describe(Call call) {
    EntityId id = lookup.taskId(call.parameter("taskId"));
    Answer answer =
        store.describe(id.job(), id.stage(), id.task(), call.object(), Parameters.cause(call));
    if (!answer.done()) {
      throw Refusals.of(answer, Refusals.noTask(call.parameter("taskId")));
    }
    return Codes.TASK_MODIFIED_SUCCESSFULLY.reply();
  }
}

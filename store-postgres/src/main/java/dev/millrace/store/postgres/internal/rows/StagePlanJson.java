package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the rules must know of the tasks that a job was submitted with, so that they are not read:
 * how many, whether some are templates, and who has a limit of attempts of its own.
 */
public final class StagePlanJson {
  private StagePlanJson() {}

  public static String write(JobPlan plan) {
    List<Object> stages = new ArrayList<>();
    for (StagePlan stage : plan.stages()) {
      JsonObject attempts = JsonObject.create();
      stage.attempts().forEach((task, most) -> attempts.put(task.toString(), most));
      stages.add(
          JsonObject.create()
              .put("tasks", stage.tasks())
              .put("template", stage.template())
              .put("attempts", attempts));
    }
    return Json.write(JsonObject.create().put("stages", stages));
  }

  /**
   * @param spec of the job, without its tasks
   */
  public static JobPlan read(JobSpec spec, Instant createdAt, String json) {
    List<? extends Object> written = Json.object(json).list("stages");
    List<StagePlan> stages = new ArrayList<>();
    for (StageSpec stage : spec.stages()) {
      JsonObject plan = JsonObject.of(written.get(stages.size()), "plan");
      Map<Integer, Integer> attempts = new TreeMap<>();
      JsonObject own = plan.object("attempts");
      own.values()
          .keySet()
          .forEach(task -> attempts.put(Integer.parseInt(task), (int) own.integer(task, 0)));
      stages.add(
          new StagePlan(
              stage, (int) plan.integer("tasks", 0), plan.flag("template", false), attempts));
    }
    return new JobPlan(createdAt, spec.held(), !spec.open(), stages);
  }
}

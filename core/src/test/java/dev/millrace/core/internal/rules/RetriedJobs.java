package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskState;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The ways in which a job can end, for the variants that run it again. */
final class RetriedJobs {
  private static final Map<String, Collection<JobFold>> KNOWN = new ConcurrentHashMap<>();

  private RetriedJobs() {}

  /** One of each set of endings from which the same is adopted. */
  static Collection<JobFold> endings(JobVariant variant) {
    return KNOWN.computeIfAbsent(variant.name(), _ -> explore(variant));
  }

  private static Collection<JobFold> explore(JobVariant variant) {
    Map<String, JobFold> endings = new LinkedHashMap<>();
    for (ExploredState state : StateSpace.explore(variant).states()) {
      JobFold fold = state.fold();
      if (fold.state().isFinal() && AdoptionRules.adopts(fold.state(), fold)) {
        endings.putIfAbsent(key(fold), fold);
      }
    }
    return endings.values();
  }

  private static String key(JobFold fold) {
    StringBuilder out = new StringBuilder();
    for (StageFold stage : fold.stages()) {
      out.append('|').append(stage.state()).append(stage.hasOpened());
      for (int task = 1; task <= stage.size(); task++) {
        out.append(stage.task(task).state() == TaskState.COMPLETED ? '+' : '-');
      }
    }
    return out.toString();
  }

  /** An ended job; of each stage with templates, the first text was given as it is. */
  record Ended(JobFold fold) implements AdoptionRules.EndedJob {
    @Override
    public JobId id() {
      return new JobId("1_2_3");
    }

    @Override
    public boolean isGiven(StageFold stage, int task) {
      return stage.plan().tasks() > 0 && task == 1;
    }

    @Override
    public Detail.Completed copyResult(StageFold stage, int task) {
      return new Detail.Completed(0, 1);
    }

    @Override
    public JsonObject frozenTerms(int stage, int task) {
      return JsonObject.create();
    }
  }
}

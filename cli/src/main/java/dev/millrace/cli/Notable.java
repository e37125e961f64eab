package dev.millrace.cli;

import dev.millrace.core.job.JobEvent;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.task.TaskEvent;
import java.util.EnumSet;
import java.util.Set;

/** Which events somebody is told who watches a job at a terminal: not every step of every task. */
final class Notable {
  private static final Set<JobEvent> JOB =
      EnumSet.of(JobEvent.PAUSE, JobEvent.RESUME, JobEvent.ABORT);
  private static final Set<TaskEvent> ENDS =
      EnumSet.of(TaskEvent.FAIL, TaskEvent.CEILING, TaskEvent.EXPIRE);

  private Notable() {}

  static boolean of(Entry entry) {
    return step(entry)
        || entry.fact() instanceof Fact.OfTask(_, _, TaskEvent event, _) && ENDS.contains(event);
  }

  /** Whether it says once more why a task failed, which its own event and the job's error tell. */
  static boolean repeats(Entry entry) {
    return switch (entry.fact()) {
      case Fact.OfJob(JobEvent event, _) -> event == JobEvent.FAIL;
      case Fact.OfStage(_, StageEvent event, _, _) -> event == StageEvent.FAIL;
      default -> false;
    };
  }

  /** As {@link #of}, less the failures that end a task: of a single one, the job's error tells. */
  static boolean step(Entry entry) {
    return switch (entry.fact()) {
      case Fact.OfJob(JobEvent event, _) -> JOB.contains(event);
      case Fact.OfTask(_, _, TaskEvent event, Fact.Detail detail) ->
          event == TaskEvent.RETRY
              || detail instanceof Fact.Detail.Released(_, boolean crash) && crash;
      case Fact.Line _ -> true;
      default -> false;
    };
  }
}

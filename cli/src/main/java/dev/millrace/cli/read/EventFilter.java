package dev.millrace.cli.read;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.stage.StageEvent;
import dev.millrace.core.task.TaskEvent;
import java.util.EnumSet;
import java.util.Set;

/** Selects the events to show on a terminal: not every step of every task. */
final class EventFilter {
  private static final Set<JobEvent> JOB =
      EnumSet.of(JobEvent.PAUSE, JobEvent.RESUME, JobEvent.ABORT);
  private static final Set<TaskEvent> ENDS =
      EnumSet.of(TaskEvent.FAIL, TaskEvent.CEILING, TaskEvent.EXPIRE);

  private EventFilter() {}

  static boolean isNotable(LogEntry entry) {
    return isStep(entry)
        || entry.fact() instanceof Fact.TaskChanged(_, _, TaskEvent event, _)
            && ENDS.contains(event);
  }

  /** Whether it repeats why a task failed, which the task's event and the job's error say. */
  static boolean repeatsTaskFailure(LogEntry entry) {
    return switch (entry.fact()) {
      case Fact.JobChanged(JobEvent event, _) -> event == JobEvent.FAIL;
      case Fact.StageChanged(_, StageEvent event, _, _) -> event == StageEvent.FAIL;
      default -> false;
    };
  }

  /** As {@link #isNotable}, without final failures of tasks: the job's error says the same. */
  static boolean isStep(LogEntry entry) {
    return switch (entry.fact()) {
      case Fact.JobChanged(JobEvent event, _) -> JOB.contains(event);
      case Fact.TaskChanged(_, _, TaskEvent event, Fact.Detail detail) ->
          event == TaskEvent.RETRY
              || detail instanceof Fact.Detail.Released(_, boolean crash) && crash;
      case Fact.WorkerLogLine _ -> true;
      default -> false;
    };
  }
}

package dev.millrace.core.internal.rules;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.StageState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Outcome.Reason;
import java.util.List;
import java.util.Objects;

/** The rules for adding to a submitted job and for changing its priority and metadata. */
public final class AdditionRules {
  private AdditionRules() {}

  /** Whether the job can take this stage: done, or the reason why not. */
  public static Outcome allowsStage(JobFold fold, StageSpec spec) {
    if (fold.state().isFinal()) {
      return new Outcome.Refused(
          Reason.JOB_ENDED, "the job is " + fold.state() + " and takes no more stages");
    }
    if (fold.plan().sealed()) {
      return sealed();
    }
    if (fold.stageCount() == JobSpec.MAX_STAGES) {
      return new Outcome.Refused(
          Reason.TOO_LARGE, "a job has at most " + JobSpec.MAX_STAGES + " stages");
    }
    Outcome room =
        LogLimits.allows(fold.usage(), "the stage", LogLimits.bytes(JobDocument.write(spec)));
    if (!room.isDone()) {
      return room;
    }
    requireNoTemplates(spec.tasks());
    int more = spec.each() == null ? spec.tasks().size() : lastStageTasks(fold);
    Outcome fits = allowsMoreTasks(fold, more);
    if (!fits.isDone()) {
      return fits;
    }
    if (fold.stageCount() == 0 && spec.isTemplate()) {
      return new Outcome.Refused(
          Reason.PREVIOUS_STAGE, "the first stage has no earlier results for a template");
    }
    spec.requireTemplates(fold.stageCount() + 1);
    return Outcome.DONE;
  }

  /** Adds a stage with its tasks to an open job that has not ended. */
  public static Outcome addStage(JobUpdate update, StageSpec spec, Cause cause) {
    Outcome allowed = allowsStage(update.fold(), spec);
    if (allowed.isDone()) {
      int number = update.fold().stageCount() + 1;
      update.record(new Fact.StageAdded(number, kept(spec, number), cause));
      if (!spec.tasks().isEmpty()) {
        record(update, number, spec.tasks(), Cause.SYSTEM);
      }
      update.runCascade();
      return new Outcome.Done(number);
    }
    return allowed;
  }

  /** The stage without its tasks, as the log will be read back. */
  private static StageSpec kept(StageSpec spec, int number) {
    return JobDocument.readStage(Json.object(Json.write(JobDocument.write(spec))), number);
  }

  private static void requireNoTemplates(List<TaskSpec> tasks) {
    if (tasks.stream().anyMatch(TaskSpec::template)) {
      throw new IllegalArgumentException("a task that is added later cannot be a template");
    }
  }

  /** Whether the stage can take these tasks: done, or the reason why not. */
  public static Outcome allowsTasks(JobFold fold, int number, List<TaskSpec> tasks) {
    if (!fold.hasStage(number)) {
      return new Outcome.Missing("no stage " + number + "; the job has " + fold.stageCount());
    }
    StageFold stage = fold.stage(number);
    if (stage.state().isFinal()) {
      return new Outcome.Refused(
          Reason.STAGE_ENDED,
          "stage " + number + " is " + stage.state() + " and takes no more tasks");
    }
    if (fold.state().isFinal()) {
      return new Outcome.Refused(
          Reason.JOB_ENDED, "the job is " + fold.state() + " and takes no more tasks");
    }
    if (fold.plan().sealed()) {
      return sealed();
    }
    if (stage.state() == StageState.IN_PROGRESS) {
      return new Outcome.Refused(
          Reason.STAGE_RUNNING,
          "stage " + number + " is IN_PROGRESS; tasks are added before it begins");
    }
    if (stage.isClosed() && tasks.isEmpty()) {
      return Outcome.DONE;
    }
    if (stage.isClosed() || stage.plan().template()) {
      return new Outcome.Refused(
          Reason.SEALED, "stage " + number + " takes no tasks: what it works on is settled");
    }
    if (tasks.size() > StageSpec.MAX_TASKS - stage.size()) {
      return new Outcome.Refused(
          Reason.TOO_LARGE, "a stage has at most " + StageSpec.MAX_TASKS + " tasks");
    }
    requireNoTemplates(tasks);
    Outcome fits = allowsMoreTasks(fold, (1L + followers(fold, number)) * tasks.size());
    return fits.isDone() ? LogLimits.allowsAddition(fold.usage()) : fits;
  }

  private static int lastStageTasks(JobFold fold) {
    return fold.stageCount() == 0 ? 0 : fold.stage(fold.stageCount()).size();
  }

  /** How many stages after this one will have as many tasks as it has. */
  private static int followers(JobFold fold, int number) {
    int last = number;
    while (last < fold.stageCount() && fold.stage(last + 1).plan().spec().each() != null) {
      last++;
    }
    return last - number;
  }

  private static Outcome allowsMoreTasks(JobFold fold, long more) {
    long planned = fold.plannedTasks();
    return more <= 0 || planned + more <= JobSpec.MAX_TASKS
        ? Outcome.DONE
        : new Outcome.Refused(
            Reason.TOO_LARGE,
            "a job has at most "
                + JobSpec.MAX_TASKS
                + " tasks; it has "
                + planned
                + ", and "
                + more
                + " would be added");
  }

  /**
   * Adds tasks to a stage of an open job that is not running yet. An empty list closes an empty
   * stage: it completes when it opens. Closing it again changes nothing.
   */
  public static Outcome addTasks(JobUpdate update, int number, List<TaskSpec> tasks, Cause cause) {
    Outcome allowed = allowsTasks(update.fold(), number, tasks);
    if (!allowed.isDone()) {
      return allowed;
    }
    int first = update.fold().stage(number).size() + 1;
    if (!tasks.isEmpty() || closes(update.fold().stage(number))) {
      record(update, number, tasks, cause);
      update.runCascade();
    }
    return new Outcome.Done(first);
  }

  private static boolean closes(StageFold stage) {
    return stage.size() == 0 && !stage.isClosed();
  }

  /** Records one fact for each run of tasks with the same limit of attempts. */
  private static void record(JobUpdate update, int stage, List<TaskSpec> tasks, Cause cause) {
    int from = 0;
    do {
      int to = from;
      while (to < tasks.size()
          && Objects.equals(tasks.get(to).maxAttempts(), tasks.get(from).maxAttempts())) {
        to++;
      }
      Integer own = tasks.isEmpty() ? null : tasks.get(from).maxAttempts();
      update.record(new Fact.TasksAdded(stage, to - from, own == null ? 0 : own, cause));
      from = to;
    } while (from < tasks.size());
  }

  private static Outcome sealed() {
    return new Outcome.Refused(
        Reason.SEALED,
        "the job was submitted whole and does not grow; a job made with \"open\": true does");
  }

  /** Changes the priority of a job that has not ended. */
  public static Outcome prioritize(JobUpdate update, Priority priority, Priority now, Cause cause) {
    if (priority == now) {
      return new Outcome.Refused(Reason.SAME, "the job's priority is " + now + " already");
    }
    JobState state = update.fold().state();
    if (state.isFinal()) {
      return new Outcome.Refused(
          Reason.JOB_ENDED, "the job is " + state + ": its priority no longer counts");
    }
    Outcome room = LogLimits.allowsAddition(update.fold().usage());
    if (room.isDone()) {
      update.record(new Fact.Prioritized(priority, cause));
    }
    return room;
  }

  /**
   * Replaces the metadata of the job ({@code stage} 0), a stage ({@code task} 0) or a task, in any
   * state.
   */
  public static Outcome replaceMetadata(
      JobUpdate update, int stage, int task, JsonObject metadata, Cause cause) {
    JobFold fold = update.fold();
    if ((stage != 0 || task != 0) && !fold.hasStage(stage)) {
      return new Outcome.Missing("no stage " + stage + "; the job has " + fold.stageCount());
    }
    if (task != 0 && !fold.stage(stage).hasTask(task)) {
      return new Outcome.Missing("no task " + stage + "/" + task);
    }
    Json.requireDepth(metadata, "metadata");
    String text = Json.write(metadata);
    Outcome room = LogLimits.allows(fold.usage(), "the metadata", LogLimits.bytes(text));
    if (room.isDone()) {
      JsonObject kept = Json.object(text); // as the log will be read back
      update.record(new Fact.MetadataReplaced(stage, task, kept, cause));
    }
    return room;
  }

  /** Whether the job can be deleted: done, or the reason why not. */
  public static Outcome allowsDelete(JobFold fold) {
    return fold.state().isFinal()
        ? Outcome.DONE
        : new Outcome.Refused(
            Reason.JOB_NOT_ENDED, "the job is " + fold.state() + "; abort it first");
  }
}

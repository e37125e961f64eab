package dev.millrace.core.stage;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TaskPolicy;
import dev.millrace.core.task.TraceContext;
import dev.millrace.core.template.StageTemplate;
import dev.millrace.core.template.StageTemplateException;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One step of a job as it is asked for. Its tasks are given ({@code tasks}), or made from the
 * previous stage's results when it opens ({@code each}: one task for each result).
 *
 * @param type which workers may claim its tasks
 * @param gate whether it waits for a user's approval
 * @param data parameters for the worker, the same for all tasks
 * @param metadata what its submitter keeps with it
 */
public record StageSpec(
    String type,
    boolean gate,
    FailureTolerance tolerance,
    TaskPolicy policy,
    List<TaskSpec> tasks,
    @Nullable String each,
    JsonObject data,
    JsonObject metadata,
    @Nullable TraceContext trace) {

  /** Most tasks in a stage. */
  public static final int MAX_TASKS = 200_000;

  private static final Pattern TYPE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,49}");

  public StageSpec {
    tasks = List.copyOf(tasks);
    requireType(type);
    if (each != null && !tasks.isEmpty()) {
      throw new IllegalArgumentException(
          "stage \"" + type + "\": give \"each\" or \"tasks\", not both");
    }
    if (tasks.size() > MAX_TASKS) {
      throw new IllegalArgumentException(
          "stage \"" + type + "\": at most " + MAX_TASKS + " tasks, got " + tasks.size());
    }
    Json.requireDepth(data, "stage \"" + type + "\": its data");
    Json.requireDepth(metadata, "stage \"" + type + "\": its metadata");
  }

  public StageSpec(
      String type,
      boolean gate,
      FailureTolerance tolerance,
      TaskPolicy policy,
      List<TaskSpec> tasks,
      @Nullable String each,
      JsonObject data) {
    this(type, gate, tolerance, policy, tasks, each, data, JsonObject.create(), null);
  }

  public static StageSpec of(String type, List<TaskSpec> tasks) {
    return new StageSpec(
        type, false, FailureTolerance.NONE, TaskPolicy.DEFAULT, tasks, null, JsonObject.create());
  }

  /** The same with other tasks. */
  public StageSpec withTasks(List<TaskSpec> others) {
    return new StageSpec(type, gate, tolerance, policy, others, each, data, metadata, trace);
  }

  /** A type is also part of a directory's name, which bounds what it may contain. */
  public static String requireType(String type) {
    if (!TYPE.matcher(type).matches()) {
      throw new IllegalArgumentException(
          "stage type \""
              + type
              + "\" must be 1 to 50 letters, digits, '.', '_' or '-', and start with a letter or"
              + " digit");
    }
    return type;
  }

  /** Whether task texts depend on earlier results and exist only once the stage opens. */
  public boolean isTemplate() {
    return each != null || tasks.stream().anyMatch(TaskSpec::template);
  }

  /** Refuses a template that can never have an answer, where this is stage {@code number}. */
  public void requireTemplates(int number) {
    try {
      if (each != null) {
        StageTemplate.check(each, number, true);
      }
      for (TaskSpec task : tasks) {
        if (task.template()) {
          StageTemplate.check(String.valueOf(task.input()), number, false);
        }
      }
    } catch (StageTemplateException e) {
      throw new IllegalArgumentException("stage " + number + ": " + e.getMessage());
    }
  }
}

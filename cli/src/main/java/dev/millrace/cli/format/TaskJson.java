package dev.millrace.cli.format;

import dev.millrace.cli.terminal.TimeText;
import dev.millrace.core.job.Adoption;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the tasks of a stage page by page, because there may be 200,000, and prints them as JSON.
 */
public final class TaskJson {
  private static final int PAGE = 1_000;

  private TaskJson() {}

  public static void each(JobReader reader, JobId id, int stage, Consumer<TaskView> action) {
    for (int from = 1; ; from += PAGE) {
      List<TaskView> page = reader.tasks(id, stage, from, PAGE);
      page.forEach(action);
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  /** One of several results, with the number of its task. */
  public static JsonObject resultJson(TaskView task) {
    JsonObject out = JsonObject.create().put("task", task.task());
    putResult(out, task.result());
    return out.put("state", task.state().name()).putIfPresent("error", task.error());
  }

  /** The same without the receipt. */
  public static JsonObject briefJson(TaskView task) {
    JsonObject out = resultJson(task);
    out.values().remove("receipt");
    return out;
  }

  /** The number of attempts, including the current and the successful one; an adopted task had none. */
  public static int attempts(TaskView task) {
    boolean present =
        task.state() == TaskState.IN_PROGRESS
            || task.state() == TaskState.COMPLETED && task.adoption() == null;
    return task.attempts() + (present ? 1 : 0);
  }

  /** Everything about a task. */
  public static JsonObject fullJson(TaskView task) {
    JsonObject out =
        JsonObject.create()
            .put("stage", task.stage())
            .put("task", task.task())
            .put("state", task.state().name())
            .put("attempts", attempts(task))
            .putIfPresent("worker", task.worker())
            .putIfPresent("started_at", TimeText.micros(task.startedAt()))
            .putIfPresent("completed_at", TimeText.micros(task.completedAt()))
            .putIfPresent("input", task.input());
    putResult(out, task.result());
    Adoption from = task.adoption();
    if (from != null) {
      out.put(
          "adopted_from",
          JsonObject.create().put("job", from.job().value()).put("task", from.task()));
    }
    return out.putIfPresent("error", task.error());
  }

  /** Adds the result under the name of its kind, and its receipt. */
  static void putResult(JsonObject out, @Nullable TaskResult result) {
    if (result != null) {
      out.put(
          result.kind().name().toLowerCase(Locale.ROOT),
          result.kind() == TaskResult.Kind.EMBEDDING ? embedding(result.text()) : result.text());
      out.putIfPresent("receipt", result.receipt());
    }
  }

  private static Object embedding(String text) {
    try {
      return Json.parse(text);
    } catch (JsonException e) {
      return text;
    }
  }
}

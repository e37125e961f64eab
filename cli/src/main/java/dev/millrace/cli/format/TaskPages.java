package dev.millrace.cli.format;

import dev.millrace.cli.terminal.TimeText;
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

/** The tasks of a stage, a page at a time: there may be 200,000. */
public final class TaskPages {
  private static final int PAGE = 1_000;

  private TaskPages() {}

  public static void each(JobReader reading, JobId id, int stage, Consumer<TaskView> reader) {
    for (int from = 1; ; from += PAGE) {
      List<TaskView> page = reading.tasks(id, stage, from, PAGE);
      page.forEach(reader);
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  /** One of several results: a line for a reader that wants to know which is whose. */
  public static JsonObject resultJson(TaskView task) {
    JsonObject out = JsonObject.create().put("task", task.task());
    putResult(out, task.result());
    return out.put("state", task.state().name()).putIfPresent("error", task.error());
  }

  /** The same without its receipt, which is for those who ask for everything. */
  public static JsonObject briefJson(TaskView task) {
    JsonObject out = resultJson(task);
    out.values().remove("receipt");
    return out;
  }

  /** How often it was tried, the present attempt and a successful one included. */
  public static int attempts(TaskView task) {
    boolean present = task.state() == TaskState.IN_PROGRESS || task.state() == TaskState.COMPLETED;
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

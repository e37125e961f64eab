package dev.millrace.cli;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The tasks of a stage, a page at a time: there may be 200,000. */
final class TaskPages {
  private static final int PAGE = 1_000;

  private TaskPages() {}

  static void each(Reading reading, JobId id, int stage, Consumer<TaskView> reader) {
    for (int from = 1; ; from += PAGE) {
      List<TaskView> page = reading.tasks(id, stage, from, PAGE);
      page.forEach(reader);
      if (page.size() < PAGE) {
        return;
      }
    }
  }

  /** One of several results: a line for a reader that wants to know which is whose. */
  static JsonObject result(TaskView task) {
    JsonObject out = JsonObject.create().put("task", task.task());
    put(out, task.result());
    return out.put("state", task.state().name()).putIfPresent("error", task.error());
  }

  /** The same without its receipt, which is for those who ask for everything. */
  static JsonObject brief(TaskView task) {
    JsonObject out = result(task);
    out.values().remove("receipt");
    return out;
  }

  /** How often it was tried, the present attempt and a successful one included. */
  static int attempts(TaskView task) {
    boolean present = task.state() == TaskState.IN_PROGRESS || task.state() == TaskState.COMPLETED;
    return task.attempts() + (present ? 1 : 0);
  }

  /** Everything about a task. */
  static JsonObject whole(TaskView task) {
    JsonObject out =
        JsonObject.create()
            .put("stage", task.stage())
            .put("task", task.task())
            .put("state", task.state().name())
            .put("attempts", attempts(task))
            .putIfPresent("worker", task.worker())
            .putIfPresent("started_at", Times.micros(task.startedAt()))
            .putIfPresent("completed_at", Times.micros(task.completedAt()))
            .putIfPresent("input", task.input());
    put(out, task.result());
    return out.putIfPresent("error", task.error());
  }

  /** Adds the result under the name of its kind, and its receipt. */
  static void put(JsonObject out, @Nullable TaskResult result) {
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

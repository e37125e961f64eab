package dev.millrace.http.so1;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The output of a job: the result of its last stage, or a list if that has several tasks. A job that
 * ended without success has the text that its last task had produced by then.
 */
final class JobOutput {
  /** The most results in one answer; the others can be read task by task. */
  static final int MAX_RESULTS = 1_000;

  /** No result is added after this many characters. */
  private static final int MAX_CHARACTERS = 8_000_000;

  private static final int PAGE = 100;

  private final List<Object> results = new ArrayList<>();
  private long size;

  private JobOutput() {}

  /** The output; null if there is none. */
  static @Nullable JsonObject of(JobReader store, JobView view) {
    return switch (So1StateMapping.of(view)) {
      case PENDING, RUNNING -> null;
      case SUCCESS -> view.stages().isEmpty() ? null : whole(store, view);
      case FAILED, CANCELLED -> partial(store, view);
    };
  }

  private static @Nullable JsonObject partial(JobReader store, JobView view) {
    StageView last =
        view.stages().stream()
            .filter(stage -> stage.startedAt() != null)
            .reduce((_, later) -> later)
            .orElse(null);
    if (last == null || last.total() != 1) {
      return null;
    }
    String text = store.partialOutput(view.header().id(), last.number(), 1).orElse("");
    if (text.isEmpty()) {
      return null;
    }
    boolean whole = text.length() <= MAX_CHARACTERS;
    JsonObject out =
        JsonObject.create()
            .put("text", whole ? text : text.substring(0, MAX_CHARACTERS))
            .put("partial", true);
    return whole ? out : out.put("truncated", true);
  }

  private static JsonObject whole(JobReader store, JobView view) {
    StageView last = view.stages().getLast();
    Optional<TaskResult> only =
        last.total() != 1
            ? Optional.empty()
            : store.task(view.header().id(), last.number(), 1).map(TaskView::result);
    return only.isPresent() ? one(only.get()) : new JobOutput().all(store, view, last);
  }

  private JsonObject all(JobReader store, JobView view, StageView stage) {
    while (results.size() < Math.min(stage.total(), MAX_RESULTS) && size < MAX_CHARACTERS) {
      int limit = Math.min(PAGE, MAX_RESULTS - results.size());
      List<TaskView> page =
          store.tasks(view.header().id(), stage.number(), results.size() + 1, limit);
      if (page.isEmpty()) {
        break; // the job was deleted
      }
      page.stream().takeWhile(_ -> size < MAX_CHARACTERS).forEach(this::add);
    }
    JsonObject out = JsonObject.create().put("results", results);
    return results.size() < stage.total() ? out.put("truncated", true) : out;
  }

  private void add(TaskView task) {
    TaskResult result = task.result();
    size += result == null ? 0 : result.text().length();
    results.add((result == null ? error(task) : one(result)).values());
  }

  /** The entry of a failed task that the stage tolerates. */
  private static JsonObject error(TaskView task) {
    String why = task.error() == null ? "the task has no result" : task.error();
    JsonObject error =
        JsonObject.create().put("code", "TASK_FAILED").put("message", Redaction.redactSecrets(why));
    return JsonObject.create().put("error", error.values());
  }

  private static JsonObject one(TaskResult result) {
    return result.kind() == TaskResult.Kind.EMBEDDING ? vector(result) : text(result);
  }

  private static JsonObject vector(TaskResult result) {
    try {
      Object value = Json.parse(result.text());
      Object vector = value instanceof Map<?, ?> named ? named.get("vector") : value;
      if (vector instanceof List<?> numbers) {
        return JsonObject.create()
            .put("embedding", numbers)
            .put("dimensions", (long) numbers.size());
      }
    } catch (JsonException e) {
      // the worker has its own format
    }
    return JsonObject.create().put("text", result.text());
  }

  private static JsonObject text(TaskResult result) {
    JsonObject out = JsonObject.create().put("text", result.text());
    JsonObject receipt = result.receipt();
    if (receipt == null) {
      return out;
    }
    out.putIfPresent("finishReason", receipt.get("finish_reason"));
    if (receipt.has("prompt_tokens") && receipt.has("completion_tokens")) {
      out.put(
          "usage",
          JsonObject.create()
              .put("promptTokens", receipt.get("prompt_tokens"))
              .put("completionTokens", receipt.get("completion_tokens"))
              .values());
    }
    return out.putIfPresent("model", receipt.get("model"))
        .putIfPresent("seed", receipt.get("seed"));
  }
}

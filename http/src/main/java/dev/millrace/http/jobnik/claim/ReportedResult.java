package dev.millrace.http.jobnik.claim;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.TaskQueue;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.http.jobnik.entity.JobnikProblems;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of a task in the request of its worker. */
sealed interface ReportedResult {

  static ReportedResult fromJson(JsonObject body) {
    JsonObject receipt = body.has("receipt") ? body.object("receipt") : null;
    if (TaskState.COMPLETED.name().equals(body.string("status"))) {
      refuse(body, "COMPLETED", List.of("error", "retryable", "partial"));
      String text = text(body.get("result"));
      return new Completed(new TaskResult(TaskResult.Kind.RESULT, text, receipt));
    }
    refuse(body, "FAILED", List.of("result"));
    return new Failed(
        new Failure(
            body.string("error", "the worker gave no reason"),
            body.flag("retryable", true),
            body.string("partial", null),
            receipt));
  }

  /** Refuses fields that do not go with the status: they would be lost. */
  private static void refuse(JsonObject body, String status, List<String> others) {
    for (String name : others) {
      if (body.has(name)) {
        throw JobnikProblems.invalid(
            "request/body/" + name + " does not go with the status " + status + "; leave it out");
      }
    }
  }

  private static String text(@Nullable Object result) {
    return switch (result) {
      case null -> "";
      case String text -> text;
      default -> Json.write(result);
    };
  }

  /** The state that the task should get. */
  TaskState targetState();

  Outcome applyTo(TaskQueue store, Claim claim);

  /** Whether the last claim of the task has ended with this result. */
  boolean matches(TaskView task);

  /** The task is completed. */
  record Completed(TaskResult result) implements ReportedResult {
    @Override
    public TaskState targetState() {
      return TaskState.COMPLETED;
    }

    @Override
    public Outcome applyTo(TaskQueue store, Claim claim) {
      return store.complete(claim, result);
    }

    @Override
    public boolean matches(TaskView task) {
      return task.state() == TaskState.COMPLETED
          && task.result() != null
          && task.result().text().equals(result.text());
    }
  }

  /** The attempt has failed. */
  record Failed(Failure failure) implements ReportedResult {
    @Override
    public TaskState targetState() {
      return TaskState.FAILED;
    }

    @Override
    public Outcome applyTo(TaskQueue store, Claim claim) {
      return store.fail(claim, failure);
    }

    /** A task that was released has no backoff; one that failed has. */
    @Override
    public boolean matches(TaskView task) {
      boolean failed =
          task.state() == TaskState.FAILED
              || task.state() == TaskState.RETRIED && task.notBefore() != null;
      return failed && failure.message().equals(task.error());
    }
  }
}

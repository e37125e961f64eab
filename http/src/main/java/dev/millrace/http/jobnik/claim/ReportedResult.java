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

/** What a worker made of its task, as it says in a request. */
sealed interface ReportedResult {

  static ReportedResult fromJson(JsonObject said) {
    JsonObject receipt = said.has("receipt") ? said.object("receipt") : null;
    if (TaskState.COMPLETED.name().equals(said.string("status"))) {
      refuse(said, "COMPLETED", List.of("error", "retryable", "partial"));
      String text = text(said.get("result"));
      return new Completed(new TaskResult(TaskResult.Kind.RESULT, text, receipt));
    }
    refuse(said, "FAILED", List.of("result"));
    return new Failed(
        new Failure(
            said.string("error", "the worker gave no reason"),
            said.flag("retryable", true),
            said.string("partial", null),
            receipt));
  }

  /** What would be dropped is not taken. */
  private static void refuse(JsonObject said, String status, List<String> others) {
    for (String name : others) {
      if (said.has(name)) {
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

  /** Where it asks the task to go. */
  TaskState targetState();

  Outcome applyTo(TaskQueue store, Claim claim);

  /** Whether the task's last claim ended in just this way. */
  boolean matches(TaskView task);

  /** It is done. */
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

  /** This attempt failed. */
  record Failed(Failure failure) implements ReportedResult {
    @Override
    public TaskState targetState() {
      return TaskState.FAILED;
    }

    @Override
    public Outcome applyTo(TaskQueue store, Claim claim) {
      return store.fail(claim, failure);
    }

    /** A task that was released instead waits without a backoff. */
    @Override
    public boolean matches(TaskView task) {
      boolean failed =
          task.state() == TaskState.FAILED
              || task.state() == TaskState.RETRIED && task.notBefore() != null;
      return failed && failure.message().equals(task.error());
    }
  }
}

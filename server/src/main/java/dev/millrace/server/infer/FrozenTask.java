package dev.millrace.server.infer;

import dev.millrace.core.job.Adoption;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.JobView.StageView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A completed task that a model processed, with its frozen terms: it can be repeated.
 *
 * @param terms empty for an embedding, whose receipt is enough
 */
public record FrozenTask(StageView stage, TaskView task, JsonObject terms) {

  /**
   * The task, if it is completed and a model processed it.
   *
   * @param terms null: none are in the log
   */
  public static Optional<FrozenTask> of(
      StageView stage, TaskView task, @Nullable JsonObject terms) {
    return isDone(task) && (terms != null || isVector(stage, task))
        ? Optional.of(new FrozenTask(stage, task, terms == null ? JsonObject.create() : terms))
        : Optional.empty();
  }

  private static boolean isDone(TaskView task) {
    return task.state() == TaskState.COMPLETED && task.result() != null;
  }

  private static boolean isVector(StageView stage, TaskView task) {
    TaskResult result = Objects.requireNonNull(task.result());
    return stage.type().equals("embed")
        && result.receipt() != null
        && result.receipt().has("model_sha256");
  }

  /** A text of the terms, else of the receipt; empty if neither has it. */
  public String term(String name) {
    JsonObject receipt = Objects.requireNonNull(task.result()).receipt();
    Object value = receipt == null || terms.has(name) ? terms.get(name) : receipt.get(name);
    return value instanceof String text ? text : "";
  }

  /** What to repeat. The chat template's clock is that of the job which produced the result. */
  public VerifyRequest request(JobView job) {
    Adoption adoption = task.adoption();
    return new VerifyRequest(
        stage.type(),
        task.input(),
        stage.spec().data(),
        adoption == null ? job.createdAt() : adoption.submittedAt(),
        terms,
        Objects.requireNonNull(task.result()));
  }
}

package dev.millrace.core.store;

import dev.millrace.core.rules.TaskFold;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A task as a reader sees it. {@code stage} and {@code task} count from 1. */
public record TaskView(
    int stage,
    int task,
    TaskState state,
    int attempts,
    @Nullable String worker,
    @Nullable Instant startedAt,
    @Nullable Instant completedAt,
    @Nullable Object input,
    @Nullable TaskResult result,
    @Nullable String error) {

  public static TaskView of(
      int stage, int task, TaskFold fold, @Nullable Object input, @Nullable TaskResult result) {
    return new TaskView(
        stage,
        task,
        fold.state(),
        fold.attempts(),
        fold.worker(),
        fold.startedAt(),
        fold.completedAt(),
        input,
        result,
        fold.error());
  }
}

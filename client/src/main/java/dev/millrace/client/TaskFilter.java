package dev.millrace.client;

import dev.millrace.core.task.TaskState;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which tasks to list.
 *
 * @param from created at this time or later
 * @param until created at this time or earlier
 * @param limit the most entries in a page; 0 for the default of the server
 */
public record TaskFilter(
    @Nullable UUID stage,
    @Nullable String type,
    @Nullable TaskState state,
    @Nullable Instant from,
    @Nullable Instant until,
    int limit) {

  public static TaskFilter all() {
    return new TaskFilter(null, null, null, null, null, 0);
  }

  public TaskFilter ofStage(UUID value) {
    return new TaskFilter(value, type, state, from, until, limit);
  }

  public TaskFilter ofType(String value) {
    return new TaskFilter(stage, value, state, from, until, limit);
  }

  public TaskFilter in(TaskState value) {
    return new TaskFilter(stage, type, value, from, until, limit);
  }

  public TaskFilter between(@Nullable Instant first, @Nullable Instant last) {
    return new TaskFilter(stage, type, state, first, last, limit);
  }

  public TaskFilter limit(int most) {
    return new TaskFilter(stage, type, state, from, until, most);
  }
}

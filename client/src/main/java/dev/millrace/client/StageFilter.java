package dev.millrace.client;

import dev.millrace.core.stage.StageState;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which stages to list.
 *
 * @param tasks whether to include the tasks
 * @param limit the most entries in a page; 0 for the default of the server
 */
public record StageFilter(
    @Nullable UUID job,
    @Nullable String type,
    @Nullable StageState state,
    boolean tasks,
    int limit) {

  public static StageFilter all() {
    return new StageFilter(null, null, null, false, 0);
  }

  public StageFilter ofJob(UUID value) {
    return new StageFilter(value, type, state, tasks, limit);
  }

  public StageFilter ofType(String value) {
    return new StageFilter(job, value, state, tasks, limit);
  }

  public StageFilter in(StageState value) {
    return new StageFilter(job, type, value, tasks, limit);
  }

  public StageFilter withTasks() {
    return new StageFilter(job, type, state, true, limit);
  }

  public StageFilter limit(int most) {
    return new StageFilter(job, type, state, tasks, most);
  }
}

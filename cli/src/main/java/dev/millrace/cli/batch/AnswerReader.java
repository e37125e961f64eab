package dev.millrace.cli.batch;

import dev.millrace.cli.batch.BatchPlan.Source;
import dev.millrace.cli.command.CommandException;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.TaskView;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads ended tasks in the order of the lines, in pages: reading a task costs as much as reading
 * its job. A page grows while everything in it has ended, so that waiting for a task reads little.
 */
final class AnswerReader {
  private static final int LARGEST = 1_000;

  private final Map<JobId, Page> pages = new HashMap<>();

  private record Page(List<TaskView> tasks, int next) {
    @Nullable TaskView find(int task) {
      int index = tasks.isEmpty() ? -1 : task - tasks.getFirst().task();
      return index < 0 || index >= tasks.size() ? null : tasks.get(index);
    }
  }

  /** The task if it has ended, or if {@code over}; else null. */
  @Nullable TaskView find(JobReader reader, Source source, boolean over) {
    Page page = pages.get(source.job());
    TaskView task = page == null ? null : page.find(source.task());
    if (task == null || !task.state().isFinal()) {
      page = read(reader, source, task != null || page == null ? 1 : page.next());
      task = page.find(source.task());
      pages.put(source.job(), page);
    }
    if (task == null) {
      throw new CommandException(
          "job " + source.job() + " of this batch was deleted; run the command again");
    }
    return over || task.state().isFinal() ? task : null;
  }

  private static Page read(JobReader reader, Source source, int size) {
    List<TaskView> tasks = reader.tasks(source.job(), 1, source.task(), size);
    boolean allEnded = tasks.stream().allMatch(task -> task.state().isFinal());
    return new Page(tasks, allEnded ? Math.min(LARGEST, 4 * size) : 1);
  }
}

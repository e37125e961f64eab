package dev.millrace.store.postgres.internal.rows;

import dev.millrace.core.job.JobDocument;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.store.postgres.internal.db.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads the texts of tasks: those in the document of their job, and those in rows. Thread-safe. */
public final class TaskRows {
  private final Database database;

  public TaskRows(Database database) {
    this.database = database;
  }

  /**
   * A task of a job.
   *
   * @param given as submitted or added; null if it was made of a result
   * @param rendered where a template was given, or nothing
   */
  public record TaskRow(
      int stage, int task, @Nullable TaskSpec given, @Nullable TaskSpec rendered) {
    /** What a worker gets. */
    public TaskSpec spec() {
      if (rendered != null) {
        return rendered;
      }
      if (given == null) {
        throw new IllegalStateException("task " + stage + "/" + task + " has no text");
      }
      return given;
    }
  }

  /** How a task is written. */
  public static @Nullable String json(@Nullable TaskSpec task) {
    return task == null ? null : Json.write(JobDocument.task(task));
  }

  private static @Nullable TaskSpec spec(@Nullable String json, int stage, int task) {
    return json == null
        ? null
        : JobDocument.task(Json.parse(json), "stage " + stage + ", task " + task);
  }

  /** Tasks of a stage from a number on. */
  public List<TaskRow> tasks(JobRow job, int stage, int from, int limit) {
    List<TaskRow> found = new ArrayList<>();
    int inline = job.inlineTasks(stage);
    for (int task = from; task <= inline && found.size() < limit; task++) {
      found.add(new TaskRow(stage, task, job.inline().get(stage - 1).get(task - 1), null));
    }
    if (found.size() < limit) {
      found.addAll(rows(job.key(), stage, Math.max(from, inline + 1), limit - found.size()));
    }
    return found;
  }

  private List<TaskRow> rows(long job, int stage, int from, int limit) {
    return database.list(
        "SELECT task, spec::text AS spec, rendered::text AS rendered FROM @tasks"
            + " WHERE job = ? AND stage = ? AND task >= ? ORDER BY task LIMIT ?",
        row -> {
          int task = row.getInt("task");
          return new TaskRow(
              stage,
              task,
              spec(row.getString("spec"), stage, task),
              spec(row.getString("rendered"), stage, task));
        },
        job,
        stage,
        from,
        limit);
  }

  public Optional<TaskRow> task(JobRow job, int stage, int task) {
    List<TaskRow> found = tasks(job, stage, task, 1);
    return found.isEmpty() || found.getFirst().task() != task
        ? Optional.empty()
        : Optional.of(found.getFirst());
  }

  /** All that was given, by stage. */
  public List<List<TaskSpec>> given(JobRow job, int stages) {
    List<List<TaskSpec>> all = new ArrayList<>();
    for (int stage = 1; stage <= stages; stage++) {
      List<TaskSpec> given = new ArrayList<>();
      for (TaskRow row : tasks(job, stage, 1, Integer.MAX_VALUE)) {
        if (row.given() != null) {
          given.add(row.given());
        }
      }
      all.add(given);
    }
    return all;
  }

  /** How many bytes the tasks of a job have together that are in rows. */
  public long bytes(JobRow job) {
    return database
        .first(
            "SELECT coalesce(sum(octet_length(spec::text)), 0) FROM @tasks WHERE job = ?",
            row -> row.getLong(1),
            job.key())
        .orElse(0L);
  }
}

package dev.millrace.store.postgres.internal.move;

import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import dev.millrace.store.postgres.internal.rows.WrittenRows;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes the tasks of a job: into its document if they are few and short, else as rows. */
final class TaskRowWriter {
  private static final int PAGE = 500;
  private static final long CHUNK = 1_000_000;

  private final Database database;
  private final long key;
  private final JobSpec spec;
  private final JobPlan plan;
  private final List<TaskRow> rows = new ArrayList<>();
  private long size;
  private boolean begun;

  TaskRowWriter(Database database, long key, JobSpec spec, JobPlan plan) {
    this.database = database;
    this.key = key;
    this.spec = spec;
    this.plan = plan;
  }

  void add(JobRecord.Task task) {
    TaskRow row = new TaskRow(task.stage(), task.task(), task.given(), task.rendered());
    rows.add(row);
    size += length(row.given()) + length(row.rendered());
    if (rows.size() >= PAGE || size >= CHUNK) {
      flush();
    }
  }

  private static long length(@Nullable TaskSpec task) {
    return task != null && task.input() instanceof String text ? text.length() : 100;
  }

  /** All tasks were given; returns those that are part of the document, by stage. */
  List<List<TaskSpec>> finish() {
    List<List<TaskSpec>> inline = begun ? List.of() : inline();
    if (inline.isEmpty()) {
      flush();
    }
    return inline;
  }

  private List<List<TaskSpec>> inline() {
    List<List<TaskSpec>> byStage = new ArrayList<>();
    spec.stages().forEach(_ -> byStage.add(new ArrayList<>()));
    for (TaskRow row : rows) {
      TaskSpec given = row.given();
      if (given == null || row.rendered() != null || row.stage() > byStage.size()) {
        return List.of();
      }
      byStage.get(row.stage() - 1).add(given);
    }
    List<StageSpec> stages = new ArrayList<>();
    for (StageSpec stage : spec.stages()) {
      List<TaskSpec> tasks = byStage.get(stages.size());
      if (tasks.size() != plan.stages().get(stages.size()).tasks()) {
        return List.of(); // some were added later
      }
      stages.add(stage.withTasks(tasks));
    }
    return JobRow.isInline(spec.withStages(stages), plan) ? byStage : List.of();
  }

  private void flush() {
    if (!rows.isEmpty()) {
      WrittenRows written = WrittenRows.of(rows);
      database.update(
          "INSERT INTO @tasks (job, stage, task, spec, rendered)"
              + " SELECT ?, t.stage, t.task, t.spec::json, t.rendered::json FROM"
              + " unnest(?::int[], ?::int[], ?::text[], ?::text[])"
              + " AS t (stage, task, spec, rendered)",
          key,
          written.stages(),
          written.tasks(),
          written.specs(),
          written.rendered());
      rows.clear();
      size = 0;
    }
    begun = true;
  }
}

package dev.millrace.store.postgres.internal.move;

import dev.millrace.core.internal.move.EntryPositions;
import dev.millrace.core.internal.move.RecordPlan;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader.OutputSoFar;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.JobTables;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes the rows of a job as records. Nobody changes them meanwhile. */
final class PostgresJobExporter {
  private static final int PAGE = 100;

  /** A task that has rows. */
  private record At(int stage, int task, @Nullable FencingToken claim) {}

  private final Database database;
  private final JobTables tables;
  private final JobRow row;
  private final JobFold fold;
  private final Consumer<JobRecord> records;

  private PostgresJobExporter(
      Database database, JobTables tables, JobRow row, Consumer<JobRecord> records) {
    this.database = database;
    this.tables = tables;
    this.row = row;
    this.records = records;
    this.fold = JobFold.created(row.plan(), TransitionListener.IGNORED);
    tables.entries().forEach(row, fold::apply);
  }

  static void write(Database database, JobTables tables, JobRow row, Consumer<JobRecord> records) {
    new PostgresJobExporter(database, tables, row, records).write();
  }

  private void write() {
    List<StageFold> stages = fold.stages();
    records.accept(RecordPlan.document(row.id(), JobHeader.of(row.id(), row.spec()), row.plan()));
    records.accept(new JobRecord.StageTypes(stages.stream().map(it -> it.plan().type()).toList()));
    stages.forEach(this::tasks);
    stages.forEach(this::results);
    tables
        .entries()
        .forEach(row, entry -> records.accept(new JobRecord.Entry(EntryPositions.leaveOut(entry))));
    partialOutputs();
    journals();
  }

  private void tasks(StageFold stage) {
    for (int from = 1; from <= stage.size(); from += PAGE) {
      int some = Math.min(PAGE, stage.size() - from + 1);
      for (TaskRow task : tables.tasks().tasks(row, stage.number(), from, some)) {
        if (task.task() <= stage.size()) { // else it was not acknowledged
          records.accept(
              new JobRecord.Task(task.stage(), task.task(), task.given(), task.rendered()));
        }
      }
    }
  }

  private void results(StageFold stage) {
    if (stage.count(TaskState.COMPLETED) == 0) {
      return;
    }
    for (int from = 1; from <= stage.size(); from += PAGE) {
      int end = Math.min(stage.size() + 1, from + PAGE);
      List<Long> keys = new ArrayList<>();
      for (int task = from; task < end; task++) {
        key(stage.task(task)).ifPresent(keys::add);
      }
      Map<Long, TaskResult> results = tables.results().results(row.key(), keys);
      for (int task = from; task < end; task++) {
        TaskFold at = stage.task(task);
        TaskResult result = key(at).map(results::get).orElse(null);
        if (result != null) {
          records.accept(new JobRecord.Result(stage.number(), task, at.attempts() + 1, result));
        }
      }
    }
  }

  private static Optional<Long> key(TaskFold task) {
    return task.state() == TaskState.COMPLETED
        ? Optional.of(task.stored().offset())
        : Optional.empty();
  }

  /** A task that has no result. */
  private Optional<TaskFold> unfinished(At at) {
    boolean there = fold.hasStage(at.stage()) && fold.stage(at.stage()).hasTask(at.task());
    return there
        ? Optional.of(fold.stage(at.stage()).task(at.task()))
            .filter(task -> task.state() != TaskState.COMPLETED)
        : Optional.empty();
  }

  /** Of the last claim of each task: that of earlier ones is shown nowhere. */
  private void partialOutputs() {
    List<At> all =
        database.list(
            "SELECT stage, task, epoch, number FROM @partial_outputs WHERE job = ?"
                + " ORDER BY stage, task, epoch, number",
            it ->
                new At(
                    it.getInt("stage"),
                    it.getInt("task"),
                    new FencingToken(it.getLong("epoch"), it.getLong("number"))),
            row.key());
    for (At at : all) {
      FencingToken claim = Objects.requireNonNull(at.claim());
      if (unfinished(at).filter(task -> claim.equals(task.token())).isPresent()) {
        JsonObject output = partial(at, claim);
        records.accept(
            new JobRecord.Partial(
                at.stage(),
                at.task(),
                output.string("output", null),
                output.has("receipt") ? output.object("receipt") : null));
      }
    }
  }

  private JsonObject partial(At at, FencingToken claim) {
    return database
        .first(
            "SELECT output::text AS output FROM @partial_outputs WHERE job = ? AND stage = ?"
                + " AND task = ? AND epoch = ? AND number = ?",
            it -> Json.object(it.getString("output")),
            row.key(),
            at.stage(),
            at.task(),
            claim.epoch(),
            claim.number())
        .orElseThrow();
  }

  private void journals() {
    List<At> all =
        database.list(
            "SELECT DISTINCT stage, task FROM @journal WHERE job = ? ORDER BY stage, task",
            it -> new At(it.getInt("stage"), it.getInt("task"), null),
            row.key());
    for (At at : all) {
      unfinished(at).map(TaskFold::journalKey).ifPresent(key -> journal(at, key));
    }
  }

  private void journal(At at, FencingToken key) {
    long from = 0;
    OutputSoFar part;
    do {
      part = tables.journals().outputSoFar(row.key(), at.stage(), at.task(), key, from);
      for (OutputChunk chunk : part.pieces()) {
        records.accept(new JobRecord.Journal(at.stage(), at.task(), chunk));
      }
      from = part.next();
    } while (!part.pieces().isEmpty());
  }
}

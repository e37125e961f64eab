package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.AdditionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.Json;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls.Added;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobSizeLimits;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import dev.millrace.store.fs.internal.jobs.ActiveJob;
import dev.millrace.store.fs.internal.jobs.JobWriter;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/**
 * Adds stages and tasks to open jobs. Their texts are durable before the entry that counts them is
 * written, so no entry is without its texts.
 */
final class JobAdditions {
  private final JobWriter writer;
  private final GroupCommit commits;
  private final FsReader reader;

  JobAdditions(JobWriter writer, GroupCommit commits, FsReader reader) {
    this.writer = writer;
    this.commits = commits;
    this.reader = reader;
  }

  Added addStage(JobId id, StageSpec asked, Cause cause) {
    if (asked.tasks().stream().anyMatch(TaskSpec::template)) {
      throw new IllegalArgumentException("a task that is added later cannot be a template");
    }
    JobSizeLimits.requireTasks(asked.tasks());
    // As it will be read back: memory must not differ from disk.
    StageSpec spec =
        JobDocument.readStage(Json.object(Json.write(JobDocument.write(asked))), 0)
            .withTasks(asked.tasks());
    byte[] lines = StagedJobFiles.taskLines(spec.tasks());
    return step(
        id,
        cause,
        lines.length,
        fold -> AdditionRules.allowsStage(fold, spec),
        (job, unsynced) -> {
          int number = job.fold().stageCount() + 1;
          keep(job, number, spec.type(), 0, lines);
          writer.record(job, unsynced, update -> AdditionRules.addStage(update, spec, cause));
          return number;
        });
  }

  Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    JobSizeLimits.requireTasks(tasks);
    byte[] lines = StagedJobFiles.taskLines(tasks);
    return step(
        id,
        cause,
        lines.length,
        fold -> AdditionRules.allowsTasks(fold, stage, tasks),
        (job, unsynced) -> {
          int known = job.fold().stage(stage).size();
          keep(job, stage, job.fold().stage(stage).plan().type(), known, lines);
          writer.record(
              job, unsynced, update -> AdditionRules.addTasks(update, stage, tasks, cause));
          return known + 1;
        });
  }

  private Added step(
      JobId id,
      Cause cause,
      int bytes,
      Function<JobFold, Outcome> rule,
      JobWriter.Step<Integer> addition) {
    return writer
        .step(
            id,
            (job, unsynced) -> {
              if (cause.op() != null && job.fold().hasRequest(cause.op())) {
                return before(id, job.fold(), cause.op());
              }
              Outcome allowed = rule.apply(job.fold());
              if (!allowed.isDone()) {
                return new Added(allowed, 0);
              }
              if (job.files().taskBytes(job.at(), job.fold()) + bytes
                  > JobSizeLimits.MAX_JOB_BYTES) {
                return new Added(tooLarge(), 0);
              }
              int first = addition.run(job, unsynced);
              writer.finish(job, unsynced);
              return new Added(Outcome.DONE, first);
            })
        // The job has ended: the rule only gives the reason.
        .or(
            () ->
                reader
                    .snapshot(id)
                    .map(
                        job ->
                            cause.op() != null && job.fold().hasRequest(cause.op())
                                ? before(id, job.fold(), cause.op())
                                : new Added(refusal(rule.apply(job.fold())), 0)))
        .orElseGet(() -> new Added(new Outcome.Missing("no job " + id + " to add to"), 0));
  }

  private static Outcome tooLarge() {
    return new Outcome.Refused(
        Outcome.Reason.TOO_LARGE,
        "a job has at most " + JobSizeLimits.MAX_JOB_BYTES + " bytes of input");
  }

  private static Outcome refusal(Outcome outcome) {
    return outcome.isDone()
        ? new Outcome.Refused(Outcome.Reason.JOB_ENDED, "the job has just ended")
        : outcome;
  }

  private void keep(ActiveJob job, int stage, String type, int known, byte[] lines)
      throws IOException {
    UnsyncedChanges texts = new UnsyncedChanges();
    job.files().addTasks(job.at(), stage, type, known, lines, texts);
    commits.commit(texts);
  }

  /** The result of a request that was carried out before. */
  private Added before(JobId id, JobFold fold, String op) {
    int[] sizes = new int[fold.stageCount() + 1];
    for (int stage = 1; stage <= fold.plan().stages().size(); stage++) {
      sizes[stage] = fold.plan().stages().get(stage - 1).tasks();
    }
    for (LogEntry entry : reader.events(id, 0, Integer.MAX_VALUE)) {
      switch (entry.fact()) {
        case Fact.StageAdded(int stage, StageSpec _, Cause cause) -> {
          if (op.equals(cause.op())) {
            return new Added(Outcome.DONE, stage);
          }
        }
        case Fact.TasksAdded(int stage, int tasks, int _, Cause cause) -> {
          if (op.equals(cause.op())) {
            return new Added(Outcome.DONE, sizes[stage] + 1);
          }
          sizes[stage] += tasks;
        }
        default -> {}
      }
    }
    throw new IllegalStateException("job " + id + " knows " + op + ", its log does not");
  }
}

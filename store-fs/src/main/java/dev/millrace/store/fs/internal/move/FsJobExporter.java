package dev.millrace.store.fs.internal.move;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.move.EntryPositions;
import dev.millrace.core.internal.move.RecordPlan;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.UnmovableJobException;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.LogTimes;
import dev.millrace.store.fs.internal.files.EventLogIndex;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobFiles.TaskSnapshot;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes the files of a job as records. Nobody changes them meanwhile. */
final class FsJobExporter {
  private static final int PAGE = 1_000;

  private final JobOnDisk job;
  private final JobDirectory at;
  private final JobFiles files;
  private final Consumer<JobRecord> records;
  private final List<LogEntry> added;

  private FsJobExporter(JobOnDisk job, Consumer<JobRecord> records) {
    this.job = job;
    this.at = job.at();
    this.files = job.files();
    this.records = records;
    Instant end = job.fold().lastAt();
    this.added = job.reconcile(new JobUpdate(job.fold(), end, _ -> new Fact.Opening(0, null)));
  }

  static void write(JobOnDisk.Location location, Consumer<JobRecord> records) throws IOException {
    JobOnDisk job =
        JobOnDisk.read(location, TransitionListener.IGNORED, LogTimes.AS_LOGGED, null, null);
    if (job.problem() != null) {
      throw new UnmovableJobException(job.problem());
    }
    FsJobExporter exporter = new FsJobExporter(job, records);
    if (job.fold().state() != location.directoryState()) {
      throw new UnmovableJobException(
          "its directory was moved by hand: its log says "
              + job.fold().state()
              + ", and its directory "
              + location.directoryState());
    }
    exporter.write();
  }

  private void write() throws IOException {
    List<StageFold> stages = job.fold().stages();
    records.accept(RecordPlan.document(job.id(), files.header(), files.plan()));
    records.accept(new JobRecord.StageTypes(stages.stream().map(it -> it.plan().type()).toList()));
    for (StageFold stage : stages) {
      for (int task = 1; task <= stage.size(); task++) {
        records.accept(task(stage, task));
      }
    }
    for (StageFold stage : stages) {
      results(stage);
    }
    log();
    PartialOutputs partial = new PartialOutputs(at, records);
    for (StageFold stage : stages) {
      partial.write(files, stage);
    }
    stages.forEach(this::journals);
    new ForeignContent(at, job).write(records);
  }

  private JobRecord task(StageFold stage, int task) throws IOException {
    TaskSnapshot of = TaskSnapshot.of(stage, task);
    TaskSpec now = files.task(at, of);
    if (!stage.plan().template()) {
      return new JobRecord.Task(stage.number(), task, now, null);
    }
    boolean made = stage.plan().spec().each() != null;
    TaskSpec given = made ? null : ((StagedJobFiles) files).template(at, of);
    boolean rendered = given == null || given.template() && !now.template();
    return new JobRecord.Task(stage.number(), task, given, rendered ? now : null);
  }

  private void results(StageFold stage) throws IOException {
    if (stage.count(TaskState.COMPLETED) == 0) {
      return;
    }
    for (int task = 1; task <= stage.size(); task++) {
      TaskResult result = files.result(at, TaskSnapshot.of(stage, task));
      if (result != null) {
        int attempt = stage.task(task).attempts() + 1;
        records.accept(new JobRecord.Result(stage.number(), task, attempt, result));
      }
    }
  }

  private void log() throws IOException {
    EventLogIndex.Pages pages = job.log().pages(at);
    long last = job.unwritten().size();
    job.unwritten().forEach(this::entry);
    for (List<LogEntry> page = pages.entries(last, PAGE);
        !page.isEmpty();
        page = pages.entries(last, PAGE)) {
      page.forEach(this::entry);
      last = page.getLast().number();
    }
    elsewhere().forEach(this::entry);
  }

  private void entry(LogEntry entry) {
    records.accept(new JobRecord.Entry(EntryPositions.leaveOut(entry)));
  }

  /** What a daemon did that writes no log, at the times that it has noted. */
  private List<LogEntry> elsewhere() throws IOException {
    JsonObject meta = JobMetaFile.read(at.disk(), at.dir());
    Instant noted = JobMetaFile.completedAt(meta);
    Instant earliest = added.isEmpty() ? Instant.MIN : added.getFirst().at();
    if (added.isEmpty() || noted == null || noted.isBefore(earliest)) {
      return added;
    }
    Instant start = noted.minus(Duration.ofMillis((long) (1_000 * JobMetaFile.seconds(meta))));
    List<LogEntry> timed = new ArrayList<>();
    boolean over = false;
    for (LogEntry entry : added) {
      over |=
          entry.fact() instanceof Fact.TaskChanged task
              && (task.event() == TaskEvent.COMPLETE || task.event() == TaskEvent.FAIL);
      Instant at = over ? noted : start.isBefore(earliest) ? earliest : start;
      timed.add(new LogEntry(entry.number(), at, entry.fact()));
    }
    return timed;
  }

  private void journals(StageFold stage) {
    for (int task = 1; task <= stage.size(); task++) {
      boolean unfinished = stage.task(task).state() != TaskState.COMPLETED;
      if (unfinished && stage.task(task).journalKey() != null) {
        for (OutputChunk chunk : files.readJournal(at, stage, task).pieces()) {
          if (!chunk.isEmpty()) {
            records.accept(new JobRecord.Journal(stage.number(), task, chunk));
          }
        }
      }
    }
  }
}

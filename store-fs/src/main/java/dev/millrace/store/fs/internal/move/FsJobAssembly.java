package dev.millrace.store.fs.internal.move;

import dev.millrace.core.internal.move.EntryPositions;
import dev.millrace.core.internal.move.RecordPlan;
import dev.millrace.core.internal.move.ResultPositions;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.JobAssembly;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.UnmovableJobException;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.AnsweredTask;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.PlainJobFiles;
import dev.millrace.store.fs.internal.files.StagedJobDocument;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.files.TokenJournalWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes the records of a job into a directory that nobody looks into. */
final class FsJobAssembly implements JobAssembly {
  private static final int CHUNK = 1 << 20;

  /** Where the job becomes visible, and what else goes with it. */
  interface Publication {
    /** Makes what was written durable. */
    void sync(UnsyncedChanges unsynced);

    boolean publish(JobState state) throws IOException;

    void discard() throws IOException;
  }

  private final JobId id;
  private final JobDirectory at;
  private final NoteStore notes;
  private final Publication publication;
  private final UnsyncedChanges unsynced = new UnsyncedChanges();
  private final ResultPositions positions = new ResultPositions();
  private final ByteArrayOutputStream results = new ByteArrayOutputStream();
  private final JsonObject foreign = JsonObject.create();
  private JobRecord.@Nullable Document document;
  private List<String> types = List.of();
  private @Nullable TaskLineWriter tasks;
  private @Nullable LogWriter log;
  private @Nullable JobFold fold;
  private @Nullable JobFiles files;
  private @Nullable TokenJournalWriter journal;
  private long journalOf;
  private int resultStage;
  private long resultEnd;
  private @Nullable JsonObject receipt;
  private boolean published;

  FsJobAssembly(JobId id, JobDirectory at, NoteStore notes, Publication publication) {
    this.id = id;
    this.at = at;
    this.notes = notes;
    this.publication = publication;
  }

  @Override
  public void accept(JobRecord record) {
    try {
      write(record);
    } catch (IOException e) {
      throw StoreErrors.of("cannot write job " + id + " into " + at.dir(), e);
    }
  }

  private void write(JobRecord record) throws IOException {
    switch (record) {
      case JobRecord.Document given -> document = given;
      case JobRecord.StageTypes given -> types = given.types();
      case JobRecord.Task given -> task(given);
      case JobRecord.Result given -> result(given);
      case JobRecord.Entry given -> log().add(EntryPositions.put(given.entry(), positions));
      case JobRecord.Partial given -> partial(given);
      case JobRecord.Journal given -> journal(given);
      case JobRecord.Note given -> notes.writeNote(given.collection(), id.value(), given.text());
      case JobRecord.ForeignField given -> foreign.put(given.name(), given.value());
      case JobRecord.ForeignFile given -> file(given);
    }
  }

  private JobRecord.Document document() {
    return Objects.requireNonNull(document, "the first record is the document");
  }

  private void task(JobRecord.Task task) throws IOException {
    if (tasks == null && !writePlain(task)) {
      staged();
    }
    if (tasks != null) {
      List<JobRecord.StageShape> shapes = document().stages();
      boolean template =
          task.stage() <= shapes.size()
              ? shapes.get(task.stage() - 1).template()
              : task.given() == null; // an added stage has no templates but "each"
      tasks.add(task, template);
    }
  }

  /** Writes a job that is a single prompt; false if it is not. */
  private boolean writePlain(JobRecord.Task task) throws IOException {
    JobSpec spec = document().spec();
    TaskSpec given = task.given();
    boolean single =
        spec.stages().size() == 1
            && types.size() == 1
            && document().stages().getFirst().tasks() == 1
            && given != null;
    if (!single || given == null) {
      return false;
    }
    StageSpec only = spec.stages().getFirst().withTasks(List.of(given));
    JobSpec whole = spec.withStages(List.of(only));
    if (!PlainJobFiles.fits(whole)) {
      return false;
    }
    write(PlainJobFiles.files(whole, document().createdAt()));
    return true;
  }

  private void staged() throws IOException {
    write(StagedJobDocument.documents(document().spec(), RecordPlan.of(document())));
    tasks = new TaskLineWriter(at, types, unsynced);
  }

  private void write(Map<String, byte[]> all) throws IOException {
    for (Map.Entry<String, byte[]> file : all.entrySet()) {
      at.disk().write(at.file(file.getKey()), file.getValue());
      unsynced.addFile(at.file(file.getKey()));
    }
  }

  /** The files of the job, once all tasks are written. */
  private JobFiles files() throws IOException {
    if (files == null) {
      boolean plain = at.disk().kind(at.file(PlainJobFiles.PROMPT)) == Disk.Kind.FILE;
      if (tasks == null && !plain) {
        staged(); // it has no tasks
      }
      if (tasks != null) {
        tasks.finish();
      }
      files = JobFiles.load(at, id, null);
    }
    return files;
  }

  private void result(JobRecord.Result given) throws IOException {
    if (files() instanceof PlainJobFiles plain) {
      TaskResult result = given.result();
      plain.adoptResult(at, new TaskResult(result.kind(), result.text(), null), unsynced);
      receipt = result.receipt();
      return;
    }
    if (given.stage() != resultStage) {
      flushResults();
      resultStage = given.stage();
      resultEnd = 0;
    }
    byte[] line = StagedJobFiles.resultLine(given.task(), given.attempt(), given.result());
    results.writeBytes(line);
    positions.put(given.stage(), given.task(), resultEnd, line.length);
    resultEnd += line.length;
    if (results.size() >= CHUNK) {
      flushResults();
    }
  }

  private void flushResults() throws IOException {
    if (results.size() > 0) {
      StagedJobFiles.appendResults(
          at, resultStage, type(resultStage), results.toByteArray(), unsynced);
      results.reset();
    }
  }

  private String type(int stage) {
    return types.get(stage - 1);
  }

  private LogWriter log() throws IOException {
    if (log == null) {
      flushResults();
      fold = JobFold.created(files().plan(), TransitionListener.IGNORED);
      log = new LogWriter(at, fold, unsynced);
    }
    return log;
  }

  private JobFold fold() {
    return Objects.requireNonNull(fold, "the log comes first");
  }

  private TaskFold taskFold(int stage, int task) {
    return fold().stage(stage).task(task);
  }

  private void partial(JobRecord.Partial given) throws IOException {
    FencingToken claim = taskFold(given.stage(), given.task()).token();
    boolean plain = files() instanceof PlainJobFiles;
    if (plain) {
      receipt = given.receipt();
    }
    files()
        .writePartial(
            at,
            new AnsweredTask(
                given.stage(),
                type(given.stage()),
                given.task(),
                taskFold(given.stage(), given.task()).attempts(),
                claim == null ? new FencingToken(0, 0) : claim),
            new PartialOutput(given.output(), plain ? null : given.receipt()),
            unsynced);
  }

  private void journal(JobRecord.Journal given) throws IOException {
    long of = (long) given.stage() << 32 | given.task();
    StageFold stage = fold().stage(given.stage());
    Path file = files().journalFile(at, stage, given.task());
    if (journal == null || journalOf != of) {
      TaskFold task = stage.task(given.task());
      journal =
          new TokenJournalWriter(
              Objects.requireNonNull(task.token()), Objects.requireNonNull(task.journalKey()));
      journalOf = of;
    }
    journal.append(at.disk(), file, given.chunk());
    unsynced.addFile(file).addDirectory(file.getParent());
  }

  private void file(JobRecord.ForeignFile given) throws IOException {
    Path file = inside(at.dir(), given.path());
    for (Path dir : directories(at.dir(), file)) {
      if (at.disk().kind(dir) == Disk.Kind.NOTHING) {
        at.disk().createDirectory(dir);
      }
      unsynced.addDirectory(dir);
    }
    at.disk().append(file, given.content());
    unsynced.addFile(file);
  }

  @Override
  public void complete() {
    try {
      log().finish();
      JsonObject kept = receipt;
      if (kept != null) {
        JsonObject meta = JobMetaFile.read(at.disk(), at.dir());
        PlainJobFiles.putReceipt(meta, taskFold(1, 1).token(), kept);
        writeMeta(meta);
      }
      writeForeignFields();
      publication.sync(unsynced.addDirectory(at.dir()));
    } catch (IOException e) {
      throw StoreErrors.of("cannot write job " + id + " into " + at.dir(), e);
    }
  }

  private void writeMeta(JsonObject meta) throws IOException {
    at.disk().write(at.file(JobMetaFile.FILE), JobMetaFile.bytes(meta));
    unsynced.addFile(at.file(JobMetaFile.FILE));
  }

  private void writeForeignFields() throws IOException {
    if (!foreign.values().isEmpty()) {
      JsonObject meta = ForeignContent.raw(at);
      meta.values().putAll(foreign.values());
      writeMeta(meta);
    }
  }

  @Override
  public void readBack(Consumer<JobRecord> records) {
    try {
      FsJobExporter.write(new JobOnDisk.Location(id, at, fold().state()), records);
      notes
          .readNote(NoteStore.WEBHOOKS, id.value())
          .ifPresent(text -> records.accept(new JobRecord.Note(NoteStore.WEBHOOKS, text)));
    } catch (JobFiles.MalformedJobException e) {
      throw new UnmovableJobException(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw StoreErrors.ofReading("cannot read job " + id + " in " + at.dir(), e);
    }
  }

  /** What follows from the log alone is written last: final metadata, the error's file. */
  @Override
  public boolean publish() {
    try {
      JobState state = fold().state();
      if (state == JobState.COMPLETED || state == JobState.FAILED) {
        JobFiles.load(at, id, null).writeFinalFiles(at, fold(), unsynced);
        JobFiles.publish(at, JobMetaFile.FILE);
        writeForeignFields();
      }
      publication.sync(unsynced.addFile(at.file(JobMetaFile.FILE)).addDirectory(at.dir()));
      published = true; // from here on it may be
      published = publication.publish(state);
      return published;
    } catch (IOException e) {
      throw StoreErrors.of("cannot publish job " + id, e);
    }
  }

  @Override
  public void close() {
    if (!published) {
      try {
        publication.discard();
      } catch (IOException e) {
        System.getLogger("dev.millrace.store")
            .log(
                System.Logger.Level.WARNING,
                "could not remove the unfinished " + at.dir() + ": " + e.getMessage());
      }
    }
  }

  private static Path inside(Path dir, String path) {
    Path file = dir.resolve(path).normalize();
    if (!file.startsWith(dir) || file.equals(dir)) {
      throw new UnmovableJobException(path + " is no name of a file in the job's directory");
    }
    return file;
  }

  private static List<Path> directories(Path dir, Path file) {
    Deque<Path> above = new ArrayDeque<>();
    for (Path up = file.getParent(); up != null && !up.equals(dir); up = up.getParent()) {
      above.addFirst(up);
    }
    return List.copyOf(above);
  }
}

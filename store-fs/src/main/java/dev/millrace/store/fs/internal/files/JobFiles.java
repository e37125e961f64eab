package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The files of one job beside its log: what was submitted, and the results. */
public sealed interface JobFiles permits PlainJobFiles, StagedJobFiles {

  /** A job's directory; the path changes when the job moves. */
  record JobDirectory(Disk disk, Path dir) {
    public Path file(String name) {
      return dir.resolve(name);
    }
  }

  /** The task and the claim that an answer belongs to. */
  record AnsweredTask(int stage, String type, int task, int attempt, FencingToken claim) {
    public static AnsweredTask of(Claim claim) {
      ClaimKey key = claim.key();
      return new AnsweredTask(key.stage(), claim.type(), key.task(), claim.attempt(), key.token());
    }
  }

  /** A task at one moment, unaffected by later changes. */
  record TaskSnapshot(int stage, StagePlan plan, int task, TaskFold fold) {
    public static TaskSnapshot of(StageFold stage, int task) {
      return new TaskSnapshot(stage.number(), stage.plan(), task, stage.task(task));
    }

    String type() {
      return plan.type();
    }
  }

  JobHeader header();

  JobPlan plan();

  /** The job as submitted, with what was added since. */
  JobSpec spec(JobDirectory at, JobFold fold) throws IOException;

  /** A copy to read from while the job changes; call it with the job's lock held. */
  JobFiles forReading();

  /** About how many bytes of memory it takes. */
  long size();

  /** How many bytes a task has in a file of lines; 0 if it is in none. */
  long lineBytes(JobDirectory at, StageFold stage, int task) throws IOException;

  /** A task as submitted or, for a template, as rendered when its stage opened. */
  TaskSpec task(JobDirectory at, TaskSnapshot task) throws IOException;

  default TaskSpec task(JobDirectory at, StageFold stage, int task) throws IOException {
    return task(at, TaskSnapshot.of(stage, task));
  }

  /** Whether a task's text was given with the job, and not rendered from earlier results. */
  boolean isGiven(JobDirectory at, TaskSnapshot task) throws IOException;

  /** How many bytes the submitted tasks have. */
  long taskBytes(JobDirectory at, JobFold fold) throws IOException;

  /**
   * Stores tasks that are added to a stage; they count only with their event.
   *
   * @param known how many tasks the stage has now
   * @param lines as {@link StagedJobFiles#taskLines} gives them
   */
  void addTasks(
      JobDirectory at, int stage, String type, int known, byte[] lines, UnsyncedChanges unsynced)
      throws IOException;

  /** A task as a reader sees it; a malformed one is shown without its input. */
  default TaskView view(JobDirectory at, TaskSnapshot task) throws IOException {
    TaskSpec asked;
    try {
      asked = task(at, task);
    } catch (MalformedJobException | NoSuchFileException | Disk.NotRegularException e) {
      if (at.disk().kind(at.dir()) != Disk.Kind.DIRECTORY) {
        throw e; // the job has moved
      }
      asked = null;
    }
    return ViewFactory.task(
        task.stage(), task.plan(), task.task(), task.fold(), asked, result(at, task));
  }

  /** Writes a result; it counts only with its completion event. */
  Detail.Completed writeResult(
      JobDirectory at, AnsweredTask of, TaskResult result, UnsyncedChanges unsynced)
      throws IOException;

  /** Call when {@link #writeResult} is durable, before the completion is recorded. */
  void publishResult(JobDirectory at) throws IOException;

  /** Stores output that is not a result. */
  void writePartial(
      JobDirectory at, AnsweredTask of, PartialOutput partial, UnsyncedChanges unsynced)
      throws IOException;

  /** The text that {@link #writePartial} stored last for a task; null if there is none. */
  @Nullable String partial(JobDirectory at, TaskSnapshot task) throws IOException;

  /** As {@link #writePartial}, for a job that a user has ended. */
  void writeLatePartial(JobDirectory at, AnsweredTask of, PartialOutput partial) throws IOException;

  /** The file of a task's journal. */
  Path journalFile(JobDirectory at, StageFold stage, int task);

  /** A task's journal under its present terms; one that cannot be read counts as empty. */
  default TokenJournal.Content readJournal(JobDirectory at, StageFold stage, int task) {
    FencingToken of = stage.task(task).journalKey();
    Path file = journalFile(at, stage, task);
    try {
      return of == null ? TokenJournal.Content.NONE : TokenJournal.read(at.disk(), file, of);
    } catch (IOException e) {
      System.getLogger("dev.millrace.store")
          .log(Level.WARNING, file + " cannot be resumed: " + StoreErrors.explain(e));
      return TokenJournal.Content.NONE;
    }
  }

  /**
   * Deletes what an ended job does not need, once its end is durable: journals of completed tasks,
   * a receipt that does not count.
   */
  void deleteUnneeded(JobDirectory at, JobFold fold) throws IOException;

  @Nullable TaskResult result(JobDirectory at, TaskSnapshot task) throws IOException;

  /** Writes the final files of a job that has ended, before it moves to its final directory. */
  void writeFinalFiles(JobDirectory at, JobFold fold, UnsyncedChanges unsynced) throws IOException;

  /** Renders the templates of an opening stage. */
  JobUpdate.TemplateResolver templateResolver(
      JobDirectory at, JobFold fold, UnsyncedChanges unsynced);

  /** Whether a directory has the file that makes it a job. */
  static boolean looksLikeJob(Disk disk, Path dir) throws IOException {
    return disk.kind(dir) == Disk.Kind.DIRECTORY
        && (disk.kind(dir.resolve(PlainJobFiles.PROMPT)) != Disk.Kind.NOTHING
            || disk.kind(dir.resolve(StagedJobDocument.FILE)) != Disk.Kind.NOTHING);
  }

  /** Whether a job in this directory may have a gate: a plain one has none before its first entry. */
  static boolean hasGateOrLog(Disk disk, Path dir) throws IOException {
    return disk.kind(dir.resolve(StagedJobDocument.FILE)) != Disk.Kind.NOTHING
        || disk.kind(dir.resolve(EventLog.FILE)) != Disk.Kind.NOTHING;
  }

  /**
   * Reads the job in a directory; throws {@link MalformedJobException} if it breaks a rule.
   *
   * @param ceiling the recovery ceiling of a plain job that names none; null: the default
   */
  static JobFiles load(JobDirectory at, JobId id, @Nullable Integer ceiling) throws IOException {
    JsonObject meta = JobMetaFile.read(at.disk(), at.dir());
    Instant created = JobMetaFile.submittedAt(meta, id);
    boolean staged =
        meta.has("mode")
            ? "job".equals(meta.string("mode"))
            : at.disk().kind(at.file(StagedJobDocument.FILE)) != Disk.Kind.NOTHING;
    try {
      return staged
          ? StagedJobDocument.read(at, id, meta, created)
          : PlainJobFiles.read(at, id, meta, created, ceiling);
    } catch (IllegalArgumentException | JsonException e) {
      throw new MalformedJobException(
          (staged ? StagedJobDocument.FILE + ": " : "") + e.getMessage());
    }
  }

  /** A stand-in for a job with malformed files, made from its metadata as far as possible. */
  static JobFiles unreadable(JobDirectory at, JobId id) throws IOException {
    JsonObject meta = JobMetaFile.read(at.disk(), at.dir());
    Instant created = JobMetaFile.submittedAt(meta, id);
    try {
      JobHeader header = JobMetaFile.header(meta, id);
      StagedJobFiles staged =
          "job".equals(meta.get("mode"))
              ? StagedJobDocument.unreadable(header, meta, created)
              : null;
      return staged != null ? staged : PlainJobFiles.unreadable(header, meta, created);
    } catch (IllegalArgumentException | JsonException e) {
      JsonObject nothing = JsonObject.create();
      return PlainJobFiles.unreadable(JobMetaFile.header(nothing, id), nothing, created);
    }
  }

  /** A job breaks a rule; the message goes into its {@code error.txt}. */
  final class MalformedJobException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedJobException(String message) {
      super(message);
    }
  }

  /** Writes a new version of a file beside the old one, until {@link #publish}. */
  static void prepare(JobDirectory at, String name, byte[] content, UnsyncedChanges unsynced)
      throws IOException {
    Path temporary = at.file(name + ".tmp");
    at.disk().write(temporary, content);
    unsynced.addFile(temporary).addDirectory(at.dir());
  }

  /** Replaces the old file by the new one, which must be durable by now, or both may be lost. */
  static void publish(JobDirectory at, String name) throws IOException {
    at.disk().rename(at.file(name + ".tmp"), at.file(name));
  }
}

package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.JobPlan.StagePlan;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
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

/** The files of one job beside its log: what was asked, and what came of it. */
public sealed interface JobFiles permits PlainJobFiles, StagedJobFiles {

  /** Where a job's directory is read and written; the path changes as the job moves. */
  record JobDirectory(Disk disk, Path dir) {
    public Path file(String name) {
      return dir.resolve(name);
    }
  }

  /** A task's answer on its way to disk, and whose it is. */
  record AnsweredTask(int stage, String type, int task, int attempt, FencingToken claim) {
    public static AnsweredTask of(Claim claim) {
      ClaimKey key = claim.key();
      return new AnsweredTask(
          key.stage(), claim.type(), key.task(), claim.attempt(), key.token());
    }
  }

  /** What an attempt left that did not end in a result; empty if neither is there. */
  record PartialOutput(@Nullable String output, @Nullable JsonObject receipt) {
    public static final PartialOutput NONE = new PartialOutput(null, null);

    public static PartialOutput of(TaskResult result) {
      return new PartialOutput(result.text(), result.receipt());
    }

    public static PartialOutput of(Failure failure) {
      return new PartialOutput(failure.partial(), failure.receipt());
    }

    public boolean isEmpty() {
      return output == null && receipt == null;
    }
  }

  /** A task as it is at one moment, whatever becomes of it meanwhile. */
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

  /** What was asked, whole, with what was added since. */
  JobSpec spec(JobDirectory at, JobFold fold) throws IOException;

  /** These files to read from while the job goes on; called by whoever holds it. */
  JobFiles forReading();

  /** About how much of the disk it holds in memory. */
  long size();

  /** A task as it was asked for or, of a template, as it was rendered when its stage opened. */
  TaskSpec task(JobDirectory at, TaskSnapshot task) throws IOException;

  default TaskSpec task(JobDirectory at, StageFold stage, int task) throws IOException {
    return task(at, TaskSnapshot.of(stage, task));
  }

  /** How many bytes the tasks have that were asked for so far. */
  long taskBytes(JobDirectory at, JobFold fold) throws IOException;

  /**
   * Keeps tasks that are added to a stage; they count only with their event.
   *
   * @param known how many it has by now
   * @param lines as {@link StagedJobFiles#taskLines} gives them
   */
  void addTasks(
      JobDirectory at, int stage, String type, int known, byte[] lines, UnsyncedChanges unsynced)
      throws IOException;

  /** A task as a reader sees it; a broken one is shown without its input. */
  default TaskView view(JobDirectory at, TaskSnapshot task) throws IOException {
    TaskSpec asked;
    try {
      asked = task(at, task);
    } catch (MalformedJobException | NoSuchFileException | Disk.NotRegularException e) {
      if (at.disk().kind(at.dir()) != Disk.Kind.DIRECTORY) {
        throw e; // the job has moved on
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

  /** Called when {@link #writeResult} is durable, before the completion is recorded. */
  void publishResult(JobDirectory at) throws IOException;

  /** Keeps output that is not a result. */
  void writePartial(JobDirectory at, AnsweredTask of, PartialOutput partial, UnsyncedChanges unsynced)
      throws IOException;

  /** As {@link #writePartial}, in a job that a user has ended meanwhile. */
  void writeLatePartial(JobDirectory at, AnsweredTask of, PartialOutput partial) throws IOException;

  /** The file of a task's journal. */
  Path journalFile(JobDirectory at, StageFold stage, int task);

  /** A task's journal under its present terms; one that cannot be read is an aid less. */
  default TokenJournal.Content readJournal(JobDirectory at, StageFold stage, int task) {
    FencingToken of = stage.task(task).journalKey();
    Path file = journalFile(at, stage, task);
    try {
      return of == null ? TokenJournal.Content.NONE : TokenJournal.read(at.disk(), file, of);
    } catch (IOException e) {
      System.getLogger("dev.millrace.store")
          .log(Level.WARNING, file + " is not gone on from: " + StoreErrors.explain(e));
      return TokenJournal.Content.NONE;
    }
  }

  /**
   * Removes what a job which has ended does not need, once that is durable: journals of tasks that
   * completed, a receipt that does not count.
   */
  void deleteUnneeded(JobDirectory at, JobFold fold) throws IOException;

  @Nullable TaskResult result(JobDirectory at, TaskSnapshot task) throws IOException;

  /** Writes what belongs to a job that has ended, before it moves to its last place. */
  void writeFinalFiles(JobDirectory at, JobFold fold, UnsyncedChanges unsynced) throws IOException;

  /** Renders the templates of an opening stage. */
  JobUpdate.TemplateResolver templateResolver(JobDirectory at, JobFold fold, UnsyncedChanges unsynced);

  /** Whether a directory has the file that makes it a job. */
  static boolean looksLikeJob(Disk disk, Path dir) throws IOException {
    return disk.kind(dir) == Disk.Kind.DIRECTORY
        && (disk.kind(dir.resolve(PlainJobFiles.PROMPT)) != Disk.Kind.NOTHING
            || disk.kind(dir.resolve(StagedJobDocument.FILE)) != Disk.Kind.NOTHING);
  }

  /**
   * Reads the job in a directory; what is wrong with it is a {@link MalformedJobException}.
   *
   * @param ceiling the recovery ceiling of a plain job that names none; null: the usual one
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
          ? StagedJobDocument.read(at, id, created)
          : PlainJobFiles.read(at, id, meta, created, ceiling);
    } catch (IllegalArgumentException | JsonException e) {
      throw new MalformedJobException(
          (staged ? StagedJobDocument.FILE + ": " : "") + e.getMessage());
    }
  }

  /** Stands for a job whose files are malformed: what its metadata tells, as far as that goes. */
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

  /** A job that breaks a rule; the message is for its {@code error.txt}. */
  final class MalformedJobException extends IOException {
    private static final long serialVersionUID = 1L;

    public MalformedJobException(String message) {
      super(message);
    }
  }

  /** Writes a file anew, beside the old one until {@link #publish}. */
  static void prepare(JobDirectory at, String name, byte[] content, UnsyncedChanges unsynced)
      throws IOException {
    Path temporary = at.file(name + ".tmp");
    at.disk().write(temporary, content);
    unsynced.addFile(temporary).addDirectory(at.dir());
  }

  /** Puts the new file in the old one's place; it must be durable by now, or both may be lost. */
  static void publish(JobDirectory at, String name) throws IOException {
    at.disk().rename(at.file(name + ".tmp"), at.file(name));
  }
}

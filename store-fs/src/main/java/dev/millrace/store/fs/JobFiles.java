package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.JobPlan;
import dev.millrace.core.rules.JobPlan.StagePlan;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.rules.TaskFold;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.Token;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The files of one job beside its log: what was asked, and what came of it. */
sealed interface JobFiles permits PlainFiles, StagedFiles {

  /** Where a job's directory is read and written; the path changes as the job moves. */
  record At(Disk disk, Path dir) {
    Path file(String name) {
      return dir.resolve(name);
    }
  }

  /** A task's answer on its way to disk, and whose it is. */
  record Delivery(int stage, String type, int task, int attempt, Token claim) {
    static Delivery of(Claim claim) {
      Claims.Hold hold = claim.hold();
      return new Delivery(hold.stage(), claim.type(), hold.task(), claim.attempt(), hold.token());
    }
  }

  /** What an attempt left that did not end in a result; empty if neither is there. */
  record Partial(@Nullable String output, @Nullable JsonObject receipt) {
    static final Partial NONE = new Partial(null, null);

    static Partial of(TaskResult result) {
      return new Partial(result.text(), result.receipt());
    }

    static Partial of(Failure failure) {
      return new Partial(failure.partial(), failure.receipt());
    }

    boolean isEmpty() {
      return output == null && receipt == null;
    }
  }

  /** A task as it is at one moment, whatever becomes of it meanwhile. */
  record Seen(int stage, StagePlan plan, int task, TaskFold fold) {
    static Seen of(StageFold stage, int task) {
      return new Seen(stage.number(), stage.plan(), task, stage.task(task));
    }

    String type() {
      return plan.type();
    }
  }

  JobHeader header();

  JobPlan plan();

  /** What was asked, whole, with what was added since. */
  JobSpec spec(At at, JobFold fold) throws IOException;

  /** These files to read from while the job goes on; called by whoever holds it. */
  JobFiles reading();

  /** About how much of the disk it holds in memory. */
  long size();

  /** A task as it was asked for or, of a template, as it was rendered when its stage opened. */
  TaskSpec task(At at, Seen task) throws IOException;

  default TaskSpec task(At at, StageFold stage, int task) throws IOException {
    return task(at, Seen.of(stage, task));
  }

  /** How many bytes the tasks have that were asked for so far. */
  long taskBytes(At at, JobFold fold) throws IOException;

  /**
   * Keeps tasks that are added to a stage; they count only with their event.
   *
   * @param known how many it has by now
   * @param lines as {@link StagedFiles#taskLines} gives them
   */
  void add(At at, int stage, String type, int known, byte[] lines, Dirty dirty) throws IOException;

  /** A task as a reader sees it; a broken one is shown without its input. */
  default TaskView view(At at, Seen task) throws IOException {
    TaskSpec asked;
    try {
      asked = task(at, task);
    } catch (Malformed | NoSuchFileException | Disk.NotRegular e) {
      if (at.disk().kind(at.dir()) != Disk.Kind.DIRECTORY) {
        throw e; // the job has moved on
      }
      asked = null;
    }
    return TaskView.of(
        task.stage(), task.plan(), task.task(), task.fold(), asked, result(at, task));
  }

  /** Writes a result; it counts only with its completion event. */
  Detail.Completed deliver(At at, Delivery of, TaskResult result, Dirty dirty) throws IOException;

  /** Called when {@link #deliver} is durable, before the completion is recorded. */
  void delivered(At at) throws IOException;

  /** Keeps output that is not a result. */
  void keepPartial(At at, Delivery of, Partial partial, Dirty dirty) throws IOException;

  /** As {@link #keepPartial}, in a job that a user has ended meanwhile. */
  void keepLate(At at, Delivery of, Partial partial) throws IOException;

  /** The file of a task's journal. */
  Path journal(At at, StageFold stage, int task);

  /** A task's journal under its present terms; one that cannot be read is an aid less. */
  default Journal.Content journaled(At at, StageFold stage, int task) {
    Token of = stage.task(task).journal();
    Path file = journal(at, stage, task);
    try {
      return of == null ? Journal.Content.NONE : Journal.read(at.disk(), file, of);
    } catch (IOException e) {
      System.getLogger("dev.millrace.store")
          .log(Level.WARNING, file + " is not gone on from: " + Failures.explain(e));
      return Journal.Content.NONE;
    }
  }

  /**
   * Removes what a job which has ended does not need, once that is durable: journals of tasks that
   * completed, a receipt that does not count.
   */
  void tidy(At at, JobFold fold) throws IOException;

  @Nullable TaskResult result(At at, Seen task) throws IOException;

  /** Writes what belongs to a job that has ended, before it moves to its last place. */
  void finish(At at, JobFold fold, Dirty dirty) throws IOException;

  /** Renders the templates of an opening stage. */
  Turn.Openings openings(At at, JobFold fold, Dirty dirty);

  /**
   * Reads the job in a directory; what is wrong with it is a {@link Malformed}.
   *
   * @param ceiling the recovery ceiling of a plain job that names none; null: the usual one
   */
  static JobFiles load(At at, JobId id, @Nullable Integer ceiling) throws IOException {
    JsonObject meta = Meta.read(at.disk(), at.dir());
    Instant created = Meta.submittedAt(meta, id);
    boolean staged =
        meta.has("mode")
            ? "job".equals(meta.string("mode"))
            : at.disk().kind(at.file(StagedDocument.FILE)) != Disk.Kind.NOTHING;
    try {
      return staged
          ? StagedDocument.read(at, id, created)
          : PlainFiles.read(at, id, meta, created, ceiling);
    } catch (IllegalArgumentException | JsonException e) {
      throw new Malformed((staged ? StagedDocument.FILE + ": " : "") + e.getMessage());
    }
  }

  /** Stands for a job whose files are malformed: what its metadata tells, as far as that goes. */
  static JobFiles unreadable(At at, JobId id) throws IOException {
    JsonObject meta = Meta.read(at.disk(), at.dir());
    Instant created = Meta.submittedAt(meta, id);
    try {
      JobHeader header = Meta.header(meta, id);
      StagedFiles staged =
          "job".equals(meta.get("mode")) ? StagedDocument.unreadable(header, meta, created) : null;
      return staged != null ? staged : PlainFiles.unreadable(header, meta, created);
    } catch (IllegalArgumentException | JsonException e) {
      JsonObject nothing = JsonObject.create();
      return PlainFiles.unreadable(Meta.header(nothing, id), nothing, created);
    }
  }

  /** A job that breaks a rule; the message is for its {@code error.txt}. */
  final class Malformed extends IOException {
    private static final long serialVersionUID = 1L;

    Malformed(String message) {
      super(message);
    }
  }

  /** Writes a file anew, beside the old one until {@link #publish}. */
  static void prepare(At at, String name, byte[] content, Dirty dirty) throws IOException {
    Path temporary = at.file(name + ".tmp");
    at.disk().write(temporary, content);
    dirty.file(temporary).directory(at.dir());
  }

  /** Puts the new file in the old one's place; it must be durable by now, or both may be lost. */
  static void publish(At at, String name) throws IOException {
    at.disk().rename(at.file(name + ".tmp"), at.file(name));
  }
}

package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.state.IllegalTransitionException;
import dev.millrace.store.fs.internal.files.EventLog.Content;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was read from its directory.
 *
 * @param problem why its files cannot be read as a job; null if they can
 * @param log its log; if it has none yet, one entry says that it was submitted
 * @param op the transition that its directory says is under way; null if none
 */
public record JobOnDisk(
    Location location,
    JobFiles files,
    @Nullable String problem,
    Content log,
    JobFold fold,
    @Nullable PendingTransition op) {

  /**
   * Where a job is.
   *
   * @param directoryState the state whose directory holds the job
   */
  public record Location(JobId id, JobDirectory at, JobState directoryState) {}

  /**
   * Reads the directory of a job.
   *
   * @param known the job as it was read before; only new entries of its log are folded then
   * @param ceiling as for {@link JobFiles#load}
   */
  public static JobOnDisk read(
      Location location,
      TransitionListener listener,
      @Nullable JobOnDisk known,
      @Nullable Integer ceiling)
      throws IOException {
    JobId id = location.id();
    JobDirectory at = location.at();
    JobState directoryState = location.directoryState();
    JobFiles files;
    String problem = null;
    try {
      files = JobFiles.load(at, id, ceiling);
    } catch (JobFiles.MalformedJobException e) {
      problem = e.getMessage();
      files = JobFiles.unreadable(at, id);
    }
    JobOnDisk before = known != null && known.isOf(files) ? known : null;
    Content log = EventLog.read(at, before == null ? EventLog.UNREAD : before.log());
    if (log.entries().isEmpty()) {
      // A log starts with the first event; before that, the submission is implied.
      log =
          new Content(
              List.of(new LogEntry(1, files.plan().createdAt(), new Fact.Submitted())),
              log.length(),
              log.torn());
    }
    JobFold fold =
        before != null && before.goesOnIn(log)
            ? before.fold().copy(listener)
            : JobFold.created(files.plan(), listener);
    int folded = (int) fold.lastNumber();
    for (LogEntry entry : log.entries().subList(folded, log.entries().size())) {
      try {
        fold.apply(entry);
      } catch (IllegalTransitionException
          | IllegalArgumentException
          | IndexOutOfBoundsException e) {
        throw new EventLog.DamagedLogException(
            problem != null
                ? problem + "; without it " + EventLog.FILE + " cannot be read"
                : EventLog.FILE + ", line " + entry.number() + ": " + e.getMessage());
      }
    }
    // A waiting job without a log was never touched by a user. Most jobs are like that when they
    // are
    // claimed.
    boolean untouched =
        directoryState == JobState.PENDING && log.length() == 0 && !files.plan().held();
    return new JobOnDisk(
        location,
        files,
        problem,
        log,
        fold,
        untouched || fold.state() == directoryState ? null : PendingTransition.read(at));
  }

  public JobId id() {
    return location.id();
  }

  public JobDirectory at() {
    return location.at();
  }

  public JobState directoryState() {
    return location.directoryState();
  }

  /** Whether these files are of the same job, not of another one with its id. */
  private boolean isOf(JobFiles now) {
    return now.plan().equals(fold.plan());
  }

  /** Whether a log that was read after this one has only grown. */
  private boolean goesOnIn(Content later) {
    int last = log.entries().size() - 1;
    return later.entries().size() > last && later.entries().get(last) == log.entries().get(last);
  }

  /**
   * The job as submitted, with what was added since.
   *
   * @throws JobFiles.MalformedJobException if its files cannot be read as a job
   */
  public JobSpec spec() throws IOException {
    if (problem != null) {
      throw new JobFiles.MalformedJobException(problem);
    }
    return files.spec(at(), fold);
  }

  /** How many bytes were read for it, without what is small in every job. */
  public long size() {
    return log.length() + files.size();
  }

  /** A copy to change; this one stays as it was read. */
  public JobOnDisk copy() {
    return new JobOnDisk(location, files, problem, log, fold.copy(TransitionListener.IGNORED), op);
  }

  /** Records what the job's directory proves and the log lacks. */
  public List<LogEntry> reconcile(JobUpdate update) {
    LogReconciler.run(update, directoryState(), op, () -> errorText(at()));
    return update.entries();
  }

  /** The best known time of what is to be recorded. */
  public Instant time(Instant now) {
    return op != null && op.to() == directoryState() && !fold.hasRequest(op.id()) ? op.at() : now;
  }

  /** Entries that are valid but not in the log yet. */
  public List<LogEntry> unwritten() {
    return log.length() == 0 ? log.entries() : List.of();
  }

  private static String errorText(JobDirectory at) {
    Path file = at.file(PlainJobFiles.ERROR);
    try {
      return StrictUtf8.of(file, at.disk().read(file, 1_000_000)).strip();
    } catch (IOException e) {
      return "failed elsewhere, without error.txt";
    }
  }
}

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
import dev.millrace.core.time.LogTimes;
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
 * @param log what is known of its log; if that has no entries yet, the fold has one that says that
 *     the job was submitted
 * @param op the transition that its directory says is under way; null if none
 */
public record JobOnDisk(
    Location location,
    JobFiles files,
    @Nullable String problem,
    EventLogIndex log,
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
   * @param times when the entries of its log were written
   * @param known the job as it was read before; only new entries of its log are folded then
   * @param ceiling as for {@link JobFiles#load}
   */
  public static JobOnDisk read(
      Location location,
      TransitionListener listener,
      LogTimes times,
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
    FoldedLog folded = FoldedLog.read(at, files, listener, times, before, problem);
    JobFold fold = folded.fold();
    EventLogIndex log = folded.log();
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

  /** About how many bytes of memory it takes, without what is small in every job. */
  public long size() {
    return fold.size() + files.size() + log.size();
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
    return log.length() == 0 ? List.of(submission(files)) : List.of();
  }

  /** A log starts with the first event; before that, the submission is implied. */
  private static LogEntry submission(JobFiles files) {
    return new LogEntry(1, files.plan().createdAt(), new Fact.Submitted());
  }

  /** A log and what its entries add up to. */
  private record FoldedLog(EventLogIndex log, JobFold fold) {
    static FoldedLog read(
        JobDirectory at,
        JobFiles files,
        TransitionListener listener,
        LogTimes times,
        @Nullable JobOnDisk before,
        @Nullable String problem)
        throws IOException {
      EventLogReader reader = new EventLogReader(at);
      if (before != null) {
        JobFold fold = before.fold().copy(listener);
        EventLogIndex grown = reader.readGrown(before.log(), entry -> apply(entry, fold, problem));
        if (grown != null) {
          return new FoldedLog(grown, fold);
        }
      }
      JobFold fold = JobFold.created(files.plan(), listener, times);
      EventLogIndex log = reader.read(entry -> apply(entry, fold, problem));
      if (log.last() == 0) {
        apply(submission(files), fold, problem);
      }
      return new FoldedLog(log, fold);
    }

    private static void apply(LogEntry entry, JobFold fold, @Nullable String problem)
        throws EventLog.DamagedLogException {
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

package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.Moves;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.state.IllegalTransition;
import dev.millrace.store.fs.EventLog.Content;
import dev.millrace.store.fs.JobFiles.At;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as its directory tells it.
 *
 * @param problem why its files cannot be read as a job; null if they can
 * @param log what stands in its log; of one not begun, that the job was submitted
 */
record Snapshot(
    JobId id,
    At at,
    JobState place,
    JobFiles files,
    @Nullable String problem,
    Content log,
    JobFold fold,
    @Nullable Operation op) {

  /** Reads the directory of a job that stands in {@code place}. */
  static Snapshot read(JobId id, At at, JobState place, Moves moves) throws IOException {
    return read(id, at, place, moves, null, null);
  }

  /**
   * As the other.
   *
   * @param known the job as it was read before; only what its log has grown by is folded then
   * @param ceiling as for {@link JobFiles#load}
   */
  static Snapshot read(
      JobId id,
      At at,
      JobState place,
      Moves moves,
      @Nullable Snapshot known,
      @Nullable Integer ceiling)
      throws IOException {
    JobFiles files;
    String problem = null;
    try {
      files = JobFiles.load(at, id, ceiling);
    } catch (JobFiles.Malformed e) {
      problem = e.getMessage();
      files = JobFiles.unreadable(at, id);
    }
    Snapshot before = known != null && known.isOf(files) ? known : null;
    Content log = EventLog.read(at, before == null ? EventLog.UNREAD : before.log());
    if (log.entries().isEmpty()) {
      // A log begins with the first thing that happens; what is true before that goes without.
      log =
          new Content(
              List.of(new Entry(1, files.plan().createdAt(), new Fact.Submitted())),
              log.length(),
              log.torn());
    }
    JobFold fold =
        before != null && before.goesOnIn(log)
            ? before.fold().copy(moves)
            : JobFold.created(files.plan(), moves);
    int folded = (int) fold.lastNumber();
    for (Entry entry : log.entries().subList(folded, log.entries().size())) {
      try {
        fold.apply(entry);
      } catch (IllegalTransition | IllegalArgumentException | IndexOutOfBoundsException e) {
        throw new EventLog.Damaged(
            problem != null
                ? problem + "; without it " + EventLog.FILE + " cannot be followed"
                : EventLog.FILE + ", line " + entry.number() + ": " + e.getMessage());
      }
    }
    // A job that waits and has no log was never touched by a user: most jobs, when they are
    // claimed.
    boolean untouched = place == JobState.PENDING && log.length() == 0 && !files.plan().held();
    return new Snapshot(
        id,
        at,
        place,
        files,
        problem,
        log,
        fold,
        untouched || fold.state() == place ? null : Operation.read(at));
  }

  /** Whether these files are still of the same job, and not of another with its id. */
  private boolean isOf(JobFiles now) {
    return now.plan().equals(fold.plan());
  }

  /** Whether a log that was read with this one's in mind has only grown since. */
  private boolean goesOnIn(Content later) {
    int last = log.entries().size() - 1;
    return later.entries().size() > last && later.entries().get(last) == log.entries().get(last);
  }

  /** How many bytes were read for it, but for what is small in every job. */
  long size() {
    return log.length() + files.size();
  }

  /** The same, to go on from; this one stays as it was read. */
  Snapshot copy() {
    return new Snapshot(id, at, place, files, problem, log, fold.copy(Moves.IGNORED), op);
  }

  /** Records what the place proves and the log lacks. */
  List<Entry> reconcile(Turn turn) {
    Reconcile.run(turn, place, op, () -> errorText(at));
    return turn.entries();
  }

  /** When what is to be recorded happened, as well as it is known. */
  Instant time(Instant now) {
    return op != null && op.to() == place && !fold.knows(op.id()) ? op.at() : now;
  }

  /** Entries that hold but do not stand in the log yet. */
  List<Entry> unwritten() {
    return log.length() == 0 ? log.entries() : List.of();
  }

  private static String errorText(At at) {
    Path file = at.file(PlainFiles.ERROR);
    try {
      return Text.of(file, at.disk().read(file, 1_000_000)).strip();
    } catch (IOException e) {
      return "failed elsewhere, without error.txt";
    }
  }
}

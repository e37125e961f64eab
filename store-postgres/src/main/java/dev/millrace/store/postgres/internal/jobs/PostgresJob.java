package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact.Opening;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.count.CountCategories;
import dev.millrace.core.internal.count.JobCounts;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.LogTimes;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.ResultRows.ResultRow;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A job of the database in memory. Guarded by its lock, as all of a {@link StoredJob}. */
public final class PostgresJob extends StoredJob {
  /** Identifies a task in the order of stages and tasks. */
  record At(int stage, int task) implements Comparable<At> {
    @Override
    public int compareTo(At other) {
      return stage == other.stage
          ? Integer.compare(task, other.task)
          : Integer.compare(stage, other.stage);
    }
  }

  /** Gives the entries of a log. */
  @FunctionalInterface
  interface Log {
    void forEach(Consumer<LogEntry> entries);
  }

  private final Thread reader = Thread.currentThread();
  private final Set<At> running = new HashSet<>();

  /** Texts that are written with the next entries. */
  private final Map<At, TaskRow> unwritten = new TreeMap<>();

  /** Results that count once an entry names their keys. */
  private final Map<Long, ResultRow> unwrittenResults = new HashMap<>();

  private JobRow row;
  private JobTexts texts;
  private Map<String, Long> counted = Map.of();
  private boolean fresh = true;
  private boolean storedAsEnded;
  private long claimRank;
  private volatile long version; // a sweep looks at it without the lock
  private volatile long storedNumber; // as a claim does
  private final long incarnation;
  private @Nullable Instant dueFrom;
  private int dueStage;

  /**
   * @param incarnation of the database when the job was read
   */
  PostgresJob(JobRow row, Log log, LogTimes times, JobTexts texts, long incarnation) {
    super(row.id(), Threading.SYSTEM);
    this.row = row;
    this.texts = texts;
    this.version = row.version();
    this.storedAsEnded = row.state().isFinal();
    this.incarnation = incarnation;
    JobFold fold = JobFold.created(row.plan(), this, times);
    log.forEach(fold::apply);
    loaded(fold);
    if (fold.lastNumber() != row.lastNumber()) {
      throw new IllegalStateException(
          "its log ends at entry " + fold.lastNumber() + ", and its row says " + row.lastNumber());
    }
    storedNumber = row.lastNumber();
    takeArrival(); // what waits in it is nothing new
    claimRank = claimRankNow();
    counted();
  }

  @Override
  public JobHeader header() {
    return JobHeader.of(row.id(), row.spec());
  }

  JobRow row() {
    return row;
  }

  /** Of its row; 0 if it has none yet. */
  public long key() {
    return row.key();
  }

  /** It has a row now, with all its texts. */
  void inserted(long rowKey) {
    row = row.withKey(rowKey);
    texts = texts.withCopies(Map.of(), 0); // they are its own now
    written(version, fold().state().isFinal());
    fresh = true;
  }

  /** The number of the last entry that is stored; may be asked without the lock. */
  long storedNumber() {
    return storedNumber;
  }

  /** The version that is stored. */
  public long version() {
    return version;
  }

  /** Whether its row is in the history. */
  boolean isStoredAsEnded() {
    return storedAsEnded;
  }

  /** All of it is stored. */
  void written(long stored, boolean asEnded) {
    version = stored;
    storedNumber = fold().lastNumber();
    storedAsEnded = asEnded;
    fresh = false;
    claimRank = claimRankNow();
    unwritten.clear();
    unwrittenResults.clear();
  }

  /** Its place in the claim order; after all others, if it has nothing to claim. */
  private long claimRankNow() {
    StageFold open = openStage();
    return open == null || nextWaiting(open.number(), 0) < 0
        ? CommitFlusher.NO_WORK
        : priority().queueRank(row.createdAt());
  }

  /** Whether it has something to claim that it had not when it was stored, or at an earlier place. */
  boolean takeNewWork() {
    boolean arrived = takeArrival();
    long now = claimRankNow();
    return now != CommitFlusher.NO_WORK && (arrived || now < claimRank);
  }

  long incarnation() {
    return incarnation;
  }

  /** Whether the calling thread has read it and not looked again: then it is as it was just now. */
  boolean takeFresh() {
    boolean was = fresh && reader == Thread.currentThread();
    fresh = fresh && !was;
    return was;
  }

  @Override
  public void onTransition(Transition move) {
    super.onTransition(move);
    if (move.task() > 0) {
      At at = new At(move.stage(), move.task());
      if (move.to() == TaskState.IN_PROGRESS) {
        running.add(at);
      } else {
        running.remove(at);
      }
    }
  }

  /** The tasks that workers have. */
  Set<At> running() {
    return running;
  }

  Map<At, TaskRow> unwritten() {
    return unwritten;
  }

  Map<Long, ResultRow> unwrittenResults() {
    return unwrittenResults;
  }

  @Override
  public Opening resolve(StageFold stage) {
    return texts.open(this, stage);
  }

  /** What it adds to the counts since the last call, by category. */
  Map<String, Long> takeCountChanges() {
    Map<String, Long> before = counted;
    counted();
    Map<String, Long> changes = new HashMap<>(counted);
    before.forEach((category, count) -> changes.merge(category, -count, Long::sum));
    changes.values().removeIf(change -> change == 0);
    return changes;
  }

  private void counted() {
    counted = CountCategories.of(JobCounts.of(fold(), fold().state(), priority()));
  }

  /** For a job that no one has counted yet. */
  public Map<String, Long> counts() {
    return counted;
  }

  /**
   * A steady time before which none of its timeouts ends; null if it has none. It may be too early,
   * because an exact answer would look at each waiting task each time.
   */
  @Nullable Instant dueAt(Instant now) {
    StageFold open = openStage();
    int stage = open == null ? 0 : open.number();
    if (dueFrom == null || stage != dueStage || !now.isBefore(dueFrom)) {
      dueFrom = queueDeadline();
      dueStage = stage;
    }
    Instant earliest = nextWaitingIsNone(open) ? null : dueFrom;
    for (At at : running) {
      Instant deadline = ClaimRules.runDeadline(fold(), at.stage(), at.task());
      if (earliest == null || deadline != null && deadline.isBefore(earliest)) {
        earliest = deadline;
      }
    }
    return earliest;
  }

  private boolean nextWaitingIsNone(@Nullable StageFold open) {
    return open == null || nextWaiting(open.number(), 0) < 0;
  }
}

package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.jobs.JournalAppender.Commit;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the journals of running tasks, those of all at once. What an append to a log ends, that
 * append writes itself: so nothing of a claim comes after its end. While the database refuses,
 * nothing more is taken; what was taken is written later, in its order. After a crash of the
 * database, rows that no flush had followed are written again, before any that follow. Thread-safe.
 */
final class JournalWriter {
  /** Between two writes, so that each has what many tasks have made. */
  private static final long PAUSE_MILLIS = 25;

  private static final long FAILURE_PAUSE_MILLIS = 500;

  /** How often rows are looked at that need not be written now. */
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Between two flushes, if nobody else causes one: so long rows are remembered. */
  private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final JournalAppender appender;
  private final Consumer<JobId> lost;
  private final ReentrantLock writing = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<JobId, JobJournal> journals = new LinkedHashMap<>(); // guarded by the lock
  private @Nullable StoreException failure;
  private boolean closed;
  private long flushedNanos = System.nanoTime(); // of the thread that writes

  /**
   * Rows of a job that are being written.
   *
   * @param incarnation of the database under which they count
   */
  record Batch(JobId job, List<JournalRow> rows, long incarnation) {}

  /**
   * @param lost gets each job that this server no longer has a task of
   */
  JournalWriter(JournalAppender appender, Consumer<JobId> lost) {
    this.appender = appender;
    this.lost = lost;
  }

  /**
   * Takes a row, which is written soon.
   *
   * @throws StoreException if the last write failed; then it was not taken
   */
  void add(JobId job, JournalRow row) {
    lock.lock();
    try {
      throwFailure();
      journals.computeIfAbsent(job, _ -> new JobJournal()).add(row);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The rows of a job that an append has to write; until {@link #end}, nobody else writes any of
   * that job. The job's lock is held.
   */
  Batch begin(JobId job) {
    lock.lock();
    try {
      JobJournal journal = journals.get(job);
      while (journal != null && journal.isBusy()) {
        changed.awaitUninterruptibly();
        journal = journals.get(job);
      }
      long incarnation = appender.incarnation();
      return new Batch(job, journal == null ? List.of() : rows(journal, incarnation), incarnation);
    } finally {
      lock.unlock();
    }
  }

  private List<JournalRow> rows(JobJournal journal, long incarnation) {
    journal.forget(appender::isDurable);
    return journal.begin(incarnation);
  }

  /**
   * An append has ended.
   *
   * @param commit of it; 0: nothing was written, or that is not known
   * @param incarnation of the database that it found
   */
  void end(Batch batch, long commit, long incarnation) {
    if (batch.rows().isEmpty()) {
      return;
    }
    lock.lock();
    try {
      boolean done = commit != 0 && incarnation == batch.incarnation();
      end(batch, done ? commit : 0);
      if (done) {
        failure = null; // perhaps nothing waits that would show it
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void end(Batch batch, long commit) {
    JobJournal journal = Objects.requireNonNull(journals.get(batch.job()), "it was busy");
    if (commit == 0) {
      journal.end();
    } else {
      journal.end(batch.rows().size(), commit, batch.incarnation());
    }
  }

  /** Writes until it is closed. */
  void run() throws InterruptedException {
    while (awaitRows()) {
      TimeUnit.MILLISECONDS.sleep(writeAll() ? PAUSE_MILLIS : FAILURE_PAUSE_MILLIS);
    }
  }

  private boolean awaitRows() throws InterruptedException {
    lock.lock();
    try {
      long left = LOOK_NANOS;
      while (!closed && left > 0 && journals.values().stream().noneMatch(JobJournal::isWaiting)) {
        if (journals.isEmpty()) {
          changed.await();
        } else {
          left = changed.awaitNanos(left);
        }
      }
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  /** Writes what waits, behind what another thread writes; false if that failed. */
  boolean writeAll() {
    writing.lock();
    try {
      boolean done = writeWaiting();
      flushIfDue();
      return done;
    } finally {
      writing.unlock();
    }
  }

  /** As {@link #writeAll}; throws what it failed of. */
  void requireWritten() {
    if (!writeAll()) {
      throwFailure();
    }
  }

  private void throwFailure() {
    lock.lock();
    try {
      if (failure != null) {
        throw new StoreException(failure.getMessage(), failure, failure.trouble());
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean writeWaiting() {
    long incarnation = appender.incarnation();
    List<Batch> batches = begin(incarnation);
    if (batches.isEmpty()) {
      return true;
    }
    Commit commit = null;
    StoreException problem = null;
    try {
      List<JournalRow> rows = new ArrayList<>();
      batches.forEach(batch -> rows.addAll(batch.rows()));
      commit = appender.append(rows, incarnation);
    } catch (StoreException e) {
      problem = e;
    } finally {
      end(batches, commit == null ? 0 : commit.commit(), problem);
    }
    if (commit != null) {
      for (Batch batch : batches) {
        if (!commit.jobs().contains(batch.job())) {
          lost.accept(batch.job());
        }
      }
    }
    return problem == null;
  }

  private List<Batch> begin(long incarnation) {
    lock.lock();
    try {
      List<Batch> batches = new ArrayList<>();
      journals.forEach(
          (job, journal) -> {
            if (!journal.isBusy()) {
              batches.add(new Batch(job, rows(journal, incarnation), incarnation));
            }
          });
      batches.removeIf(batch -> batch.rows().isEmpty());
      journals.values().removeIf(JobJournal::isEmpty);
      return batches;
    } finally {
      lock.unlock();
    }
  }

  private void end(List<Batch> batches, long commit, @Nullable StoreException problem) {
    lock.lock();
    try {
      batches.forEach(batch -> end(batch, commit));
      failure = problem;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void flushIfDue() {
    long commit = lastCommit();
    if (commit > 0 && System.nanoTime() - flushedNanos > FLUSH_NANOS) {
      appender.flush(commit);
      flushedNanos = System.nanoTime();
    }
  }

  private long lastCommit() {
    lock.lock();
    try {
      return journals.values().stream().mapToLong(JobJournal::lastCommit).max().orElse(0);
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}

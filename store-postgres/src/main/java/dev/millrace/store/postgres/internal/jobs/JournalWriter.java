package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the journals of running tasks, those of all at once. What an append ends, it writes itself:
 * so nothing of a claim comes after its end. While the database refuses, nothing more is taken; what
 * was taken is written later, in its order. Thread-safe.
 */
final class JournalWriter {
  /** Between two writes, so that each has what many tasks have made. */
  private static final long PAUSE_MILLIS = 25;

  private static final long FAILURE_PAUSE_MILLIS = 500;

  private final JournalAppender appender;
  private final Consumer<JobId> lost;
  private final ReentrantLock writing = new ReentrantLock();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<JobId, List<JournalRow>> waiting = new LinkedHashMap<>(); // guarded by the lock
  private final Set<JobId> busy = new HashSet<>(); // their rows are being written
  private @Nullable StoreException failure;
  private boolean closed;

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
      waiting.computeIfAbsent(job, _ -> new ArrayList<>()).add(row);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * The rows of a job that an append has to write; until {@link #end}, nobody else writes them. The
   * job's lock is held.
   */
  List<JournalRow> begin(JobId job) {
    lock.lock();
    try {
      while (busy.contains(job)) {
        changed.awaitUninterruptibly();
      }
      List<JournalRow> own = waiting.get(job);
      if (own == null) {
        return List.of();
      }
      busy.add(job);
      appender.begin(own);
      return List.copyOf(own);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The rows that {@link #begin} gave are written, unless the database has crashed, or still wait.
   *
   * @param commit of the append; 0: nothing was written
   */
  void end(JobId job, List<JournalRow> begun, long commit) {
    lock.lock();
    try {
      if (busy.remove(job)) {
        if (commit != 0) {
          remove(job, begun.size());
          appender.end(commit, begun);
          failure = null; // perhaps nothing waits that would show it
        }
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  private void remove(JobId job, int count) {
    List<JournalRow> own = waiting.get(job);
    if (own != null) {
      own.subList(0, count).clear();
      if (own.isEmpty()) {
        waiting.remove(job);
      }
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
      while (!closed && busy.containsAll(waiting.keySet())) {
        changed.await();
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
      return writeWaiting();
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
    Map<JobId, List<JournalRow>> all = take();
    if (all.isEmpty()) {
      return true;
    }
    Set<JobId> written = Set.of();
    StoreException problem = null;
    try {
      written = appender.append(all.values().stream().flatMap(Collection::stream).toList());
    } catch (StoreException e) {
      problem = e;
    } finally {
      written(all, problem == null);
    }
    failed(problem);
    if (problem == null) {
      for (JobId job : all.keySet()) {
        if (!written.contains(job)) {
          lost.accept(job);
        }
      }
    }
    return problem == null;
  }

  private Map<JobId, List<JournalRow>> take() {
    lock.lock();
    try {
      Map<JobId, List<JournalRow>> all = new LinkedHashMap<>();
      waiting.forEach(
          (job, own) -> {
            if (!busy.contains(job)) {
              all.put(job, List.copyOf(own));
            }
          });
      busy.addAll(all.keySet());
      return all;
    } finally {
      lock.unlock();
    }
  }

  private void written(Map<JobId, List<JournalRow>> all, boolean done) {
    lock.lock();
    try {
      all.forEach((job, own) -> remove(job, done ? own.size() : 0));
      busy.removeAll(all.keySet());
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void failed(@Nullable StoreException problem) {
    lock.lock();
    try {
      failure = problem;
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

package dev.millrace.http.so1;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One job's log for all who follow it: one thread reads what is new, and what is old is read once
 * for those who ask for it at about the same time. What it holds does not grow with their number.
 */
final class LogFeed {
  private static final Logger LOG = System.getLogger("dev.millrace.server");
  private static final int PAGE = 512;

  private final JobStore store;
  private final JobId id;
  private final Duration poll;
  private final Semaphore changes = new Semaphore(0);
  private final LogHistoryCache history;
  private volatile @Nullable LogTail tail;
  private volatile long begun; // 0: not yet
  private volatile LogLineFormatter formatter = new LogLineFormatter(Set.of());
  private volatile boolean stopped;
  private boolean overdue; // the reader's own

  /** How many streams hold it; only its hub touches this, one at a time. */
  int streams;

  /**
   * @param poll how often to look without being told
   */
  LogFeed(JobStore store, JobId id, Duration poll) {
    this.store = store;
    this.id = id;
    this.poll = poll;
    this.history = new LogHistoryCache(store, id);
  }

  /**
   * The end of the log; the first who asks starts the reading.
   *
   * @throws StoreException if the store cannot be read
   */
  LogTail tail() {
    LogTail now = tail;
    return now == null ? open() : now;
  }

  private synchronized LogTail open() {
    LogTail now = tail;
    if (now == null) {
      now = store.find(id).map(this::first).orElseGet(() -> LogTail.after(0).withEnding(gone()));
      tail = now;
      if (now.ending() == null) {
        Thread.ofVirtual().name("so1 log " + id).start(this::follow);
      }
    }
    return now;
  }

  private LogTail first(JobView view) {
    begun = view.startedAt() == null ? 0 : firstBegin();
    formatter = LogLineFormatter.of(view);
    if (!view.state().isFinal()) {
      return LogTail.after(view.lastEvent());
    }
    long end = ending(store, view);
    return LogTail.after(end - 1).withEnding(SseFrames.finalStatus(number(end, view), store, view));
  }

  private long firstBegin() {
    long after = 0;
    while (true) {
      List<LogEntry> page = store.events(id, after, PAGE);
      for (LogEntry entry : page) {
        if (SseFrames.isJobStart(entry)) {
          return entry.number();
        }
      }
      if (page.isEmpty()) {
        return 0;
      }
      after = page.getLast().number();
    }
  }

  /** The number of the entry that ended the job; the one after the last if the log lacks it. */
  private static long ending(JobReader store, JobView view) {
    JobId id = view.header().id();
    for (long before = view.lastEvent(); before > 0; before -= PAGE) {
      for (LogEntry entry : store.events(id, Math.max(0, before - PAGE), PAGE)) {
        if (SseFrames.isJobEnd(entry)) {
          return entry.number();
        }
      }
    }
    return view.lastEvent() + 1;
  }

  /** The id of the last event of a job that has ended: later entries are no part of its stream. */
  static long lastId(JobReader store, JobView view) {
    return number(ending(store, view), view);
  }

  private static long number(long end, JobView view) {
    return Math.max(1, Math.min(end, view.lastEvent()));
  }

  /** There may be something new. */
  void notifyChange() {
    if (changes.availablePermits() == 0) {
      changes.release();
    }
  }

  /** Nobody follows any more. The reader is not interrupted: it may be in the midst of a file. */
  void stop() {
    stopped = true;
    notifyChange();
  }

  /** Ends all streams: no more is to be said here. */
  void close() {
    stop();
    end(SseFrames.comment("the server is stopping; reconnect with the last id"));
  }

  private void follow() {
    boolean ailing = false;
    while (!stopped && tail().ending() == null) {
      try {
        while (advance()) {}
        ailing = false;
      } catch (RuntimeException e) { // whatever it is, those who follow must not be left alone
        if (!ailing) {
          LOG.log(Level.WARNING, "job " + id + ": its log cannot be followed: " + e.getMessage());
        }
        ailing = true;
      }
      try {
        overdue = !changes.tryAcquire(poll.toNanos(), TimeUnit.NANOSECONDS);
        changes.drainPermits();
      } catch (InterruptedException e) {
        return; // nobody does that
      }
    }
  }

  /** Publishes a page of what is new; whether there may be more. */
  private boolean advance() {
    LogTail now = tail();
    if (now.ending() != null || stopped) {
      return false;
    }
    List<LogEntry> page = store.events(id, now.last(), PAGE);
    List<byte[]> frames = new ArrayList<>();
    for (LogEntry entry : page) {
      if (SseFrames.isJobEnd(entry)) {
        publish(now.append(frames));
        finish(entry.number());
        return false;
      }
      if (begun == 0 && SseFrames.isJobStart(entry)) {
        begun = entry.number();
      }
      frames.add(SseFrames.of(entry, begun, formatter));
    }
    if (page.isEmpty()) {
      lookForEnd();
      return false;
    }
    publish(now.append(frames));
    return page.size() == PAGE;
  }

  private void finish(long number) {
    Optional<JobView> view = store.find(id);
    end(view.isEmpty() ? gone() : SseFrames.finalStatus(number, store, view.get()));
  }

  /** A job may be gone, or have ended without a word in its log; time will tell. */
  private void lookForEnd() {
    if (!overdue) {
      return;
    }
    Optional<JobView> view = store.find(id);
    if (view.isEmpty()) {
      end(gone());
    } else if (view.get().state().isFinal() && view.get().lastEvent() <= tail().last()) {
      finish(number(Long.MAX_VALUE, view.get()));
    }
  }

  private static byte[] gone() {
    return SseFrames.comment("the job was deleted");
  }

  private synchronized void publish(LogTail next) {
    LogTail before = tail;
    if (before == null || before.ending() == null) {
      tail = next;
    }
    if (before != null) {
      before.markSuperseded();
    }
  }

  private synchronized void end(byte[] frame) {
    LogTail now = tail;
    publish((now == null ? LogTail.after(0) : now).withEnding(frame));
  }

  /**
   * A chunk that begins after {@code position}, of entries up to {@code last}, from the store; null
   * if the job is gone.
   */
  @Nullable SseChunk history(long position, long last) {
    return history.load(position, last, begun, formatter);
  }
}

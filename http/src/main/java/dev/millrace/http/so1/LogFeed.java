package dev.millrace.http.so1;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.thread.MonitoredThreads;
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
 * The log of one job, for all streams that follow it. One thread reads new entries; old entries are
 * read once for all streams that need them at about the same time. Memory does not grow with the
 * number of streams.
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

  /** The number of the entry that started the job; 0 before the start. */
  private volatile long startEntry;

  private volatile LogLineFormatter formatter = new LogLineFormatter(Set.of());
  private volatile boolean stopped;
  private boolean overdue; // used by the reading thread only

  /** The number of streams; guarded by the hub. */
  int streams;

  /**
   * @param poll how often to read without a notification
   */
  LogFeed(JobStore store, JobId id, Duration poll) {
    this.store = store;
    this.id = id;
    this.poll = poll;
    this.history = new LogHistoryCache(store, id);
  }

  /**
   * The end of the log; the first call starts the reading thread.
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
      now =
          store
              .find(id)
              .map(this::initialTail)
              .orElseGet(() -> LogTail.after(0).withEnding(deleted()));
      tail = now;
      if (now.ending() == null) {
        MonitoredThreads.virtualWork().name("so1 log " + id).start(this::follow);
      }
    }
    return now;
  }

  private LogTail initialTail(JobView view) {
    startEntry = view.startedAt() == null ? 0 : findStart();
    formatter = LogLineFormatter.of(view);
    if (!view.state().isFinal()) {
      return LogTail.after(view.lastEvent());
    }
    long end = endEntry(store, view);
    return LogTail.after(end - 1)
        .withEnding(SseFrames.finalStatus(eventId(end, view), store, view));
  }

  private long findStart() {
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

  /** The number of the entry that ended the job; the next number if the log has none. */
  private static long endEntry(JobReader store, JobView view) {
    LogEntry end = endOf(store, view);
    return end == null ? view.lastEvent() + 1 : end.number();
  }

  /** The entry that ended the job; null if the log has none. */
  static @Nullable LogEntry endOf(JobReader store, JobView view) {
    JobId id = view.header().id();
    for (long before = view.lastEvent(); before > 0; before -= PAGE) {
      LogEntry end = endBetween(store, id, Math.max(0, before - PAGE), before);
      if (end != null) {
        return end;
      }
    }
    return null;
  }

  private static @Nullable LogEntry endBetween(JobReader store, JobId id, long after, long last) {
    long seen = after;
    while (seen < last) { // a page may be short
      List<LogEntry> page = store.events(id, seen, (int) (last - seen));
      for (LogEntry entry : page) {
        if (SseFrames.isJobEnd(entry)) {
          return entry;
        }
      }
      seen = page.isEmpty() ? last : page.getLast().number();
    }
    return null;
  }

  /** The id of the last event of a job that has ended; later entries are not sent. */
  static long lastId(JobReader store, JobView view) {
    return eventId(endEntry(store, view), view);
  }

  private static long eventId(long end, JobView view) {
    return Math.max(1, Math.min(end, view.lastEvent()));
  }

  /** Notifies that there may be new entries. */
  void notifyChange() {
    if (changes.availablePermits() == 0) {
      changes.release();
    }
  }

  /** Stops reading: no stream is left. The thread is not interrupted, as it may read a file. */
  void stop() {
    stopped = true;
    notifyChange();
  }

  /** Ends all streams. */
  void close() {
    stop();
    end(SseFrames.comment("the server is stopping; reconnect with the last id"));
  }

  private void follow() {
    boolean failing = false;
    while (!stopped && tail().ending() == null) {
      try {
        while (advance()) {}
        failing = false;
      } catch (RuntimeException | Error e) { // streams need this thread: retry whatever it is
        if (!failing) {
          boolean reportedByStore = e instanceof StoreException known && known.trouble() != null;
          Level level = reportedByStore ? Level.DEBUG : Level.WARNING; // a line for each feed
          LOG.log(level, "cannot read the log of job " + id + ", retrying: " + e);
        }
        failing = true;
      }
      try {
        overdue = !changes.tryAcquire(poll.toNanos(), TimeUnit.NANOSECONDS);
        changes.drainPermits();
      } catch (InterruptedException e) {
        return; // never interrupted
      }
    }
  }

  /** Publishes a page of new entries; returns whether there may be more. */
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
      if (startEntry == 0 && SseFrames.isJobStart(entry)) {
        startEntry = entry.number();
      }
      frames.add(SseFrames.of(entry, startEntry, formatter));
    }
    if (page.isEmpty()) {
      lookForEnd();
      return false;
    }
    publish(now.append(frames));
    return true; // a page may be short, because its entries are large
  }

  private void finish(long number) {
    Optional<JobView> view = store.find(id);
    end(view.isEmpty() ? deleted() : SseFrames.finalStatus(number, store, view.get()));
  }

  /** Checks now and then whether the job was deleted, or has ended without an entry in its log. */
  private void lookForEnd() {
    if (!overdue) {
      return;
    }
    Optional<JobView> view = store.find(id);
    if (view.isEmpty()) {
      end(deleted());
    } else if (view.get().state().isFinal() && view.get().lastEvent() <= tail().last()) {
      finish(eventId(Long.MAX_VALUE, view.get()));
    }
  }

  private static byte[] deleted() {
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
   * A chunk of old entries after {@code position}, up to {@code last}, from the store; null if the
   * job was deleted.
   */
  @Nullable SseChunk history(long position, long last) {
    return history.load(position, last, startEntry, formatter);
  }
}

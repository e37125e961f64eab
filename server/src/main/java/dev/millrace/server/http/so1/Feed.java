package dev.millrace.server.http.so1;

import dev.millrace.core.job.JobId;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Reading;
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
final class Feed {
  private static final Logger LOG = System.getLogger("dev.millrace.server");
  private static final int PAGE = 512;

  private final JobStore store;
  private final JobId id;
  private final Duration poll;
  private final Semaphore news = new Semaphore(0);
  private final Past past;
  private volatile @Nullable Window window;
  private volatile long begun; // 0: not yet
  private volatile Wording wording = new Wording(Set.of());
  private volatile boolean stopped;
  private boolean overdue; // the reader's own

  /** How many streams hold it; only its hub touches this, one at a time. */
  int streams;

  /**
   * @param poll how often to look without being told
   */
  Feed(JobStore store, JobId id, Duration poll) {
    this.store = store;
    this.id = id;
    this.poll = poll;
    this.past = new Past(store, id);
  }

  /**
   * The end of the log; the first who asks starts the reading.
   *
   * @throws StoreException if the store cannot be read
   */
  Window window() {
    Window now = window;
    return now == null ? open() : now;
  }

  private synchronized Window open() {
    Window now = window;
    if (now == null) {
      now = store.find(id).map(this::first).orElseGet(() -> Window.after(0).ended(gone()));
      window = now;
      if (now.ending() == null) {
        Thread.ofVirtual().name("so1 log " + id).start(this::follow);
      }
    }
    return now;
  }

  private Window first(JobView view) {
    begun = view.startedAt() == null ? 0 : firstBegin();
    wording = Wording.of(view);
    if (!view.state().isFinal()) {
      return Window.after(view.lastEvent());
    }
    long end = ending(store, view);
    return Window.after(end - 1).ended(Frames.last(number(end, view), store, view));
  }

  private long firstBegin() {
    long after = 0;
    while (true) {
      List<Entry> page = store.events(id, after, PAGE);
      for (Entry entry : page) {
        if (Frames.begins(entry)) {
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
  private static long ending(Reading store, JobView view) {
    JobId id = view.header().id();
    for (long before = view.lastEvent(); before > 0; before -= PAGE) {
      for (Entry entry : store.events(id, Math.max(0, before - PAGE), PAGE)) {
        if (Frames.ends(entry)) {
          return entry.number();
        }
      }
    }
    return view.lastEvent() + 1;
  }

  /** The id of the last event of a job that has ended: later entries are no part of its stream. */
  static long lastId(Reading store, JobView view) {
    return number(ending(store, view), view);
  }

  private static long number(long end, JobView view) {
    return Math.max(1, Math.min(end, view.lastEvent()));
  }

  /** There may be something new. */
  void told() {
    if (news.availablePermits() == 0) {
      news.release();
    }
  }

  /** Nobody follows any more. The reader is not interrupted: it may be in the midst of a file. */
  void stop() {
    stopped = true;
    told();
  }

  /** Ends all streams: no more is to be said here. */
  void close() {
    stop();
    end(Frames.comment("the server is stopping; reconnect with the last id"));
  }

  private void follow() {
    boolean ailing = false;
    while (!stopped && window().ending() == null) {
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
        overdue = !news.tryAcquire(poll.toNanos(), TimeUnit.NANOSECONDS);
        news.drainPermits();
      } catch (InterruptedException e) {
        return; // nobody does that
      }
    }
  }

  /** Publishes a page of what is new; whether there may be more. */
  private boolean advance() {
    Window now = window();
    if (now.ending() != null || stopped) {
      return false;
    }
    List<Entry> page = store.events(id, now.last(), PAGE);
    List<byte[]> frames = new ArrayList<>();
    for (Entry entry : page) {
      if (Frames.ends(entry)) {
        publish(now.with(frames));
        finish(entry.number());
        return false;
      }
      if (begun == 0 && Frames.begins(entry)) {
        begun = entry.number();
      }
      frames.add(Frames.of(entry, begun, wording));
    }
    if (page.isEmpty()) {
      lookForEnd();
      return false;
    }
    publish(now.with(frames));
    return page.size() == PAGE;
  }

  private void finish(long number) {
    Optional<JobView> view = store.find(id);
    end(view.isEmpty() ? gone() : Frames.last(number, store, view.get()));
  }

  /** A job may be gone, or have ended without a word in its log; time will tell. */
  private void lookForEnd() {
    if (!overdue) {
      return;
    }
    Optional<JobView> view = store.find(id);
    if (view.isEmpty()) {
      end(gone());
    } else if (view.get().state().isFinal() && view.get().lastEvent() <= window().last()) {
      finish(number(Long.MAX_VALUE, view.get()));
    }
  }

  private static byte[] gone() {
    return Frames.comment("the job was deleted");
  }

  private synchronized void publish(Window next) {
    Window before = window;
    if (before == null || before.ending() == null) {
      window = next;
    }
    if (before != null) {
      before.supersede();
    }
  }

  private synchronized void end(byte[] frame) {
    Window now = window;
    publish((now == null ? Window.after(0) : now).ended(frame));
  }

  /**
   * A chunk that begins after {@code position}, of entries up to {@code last}, from the store; null
   * if the job is gone.
   */
  @Nullable Chunk past(long position, long last) {
    return past.chunk(position, last, begun, wording);
  }
}

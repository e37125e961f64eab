package dev.millrace.http.so1;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.http.route.ApiResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** The logs that streams follow; each is read once for all its streams. Thread-safe. */
final class LogHub implements AutoCloseable {
  private final JobStore store;
  private final Intervals intervals;
  private final ConcurrentMap<JobId, LogFeed> feeds = new ConcurrentHashMap<>();
  private final Subscription subscription;
  private volatile boolean closed;

  /**
   * @param heartbeat after how long without an event a stream sends a heartbeat
   * @param poll how often a log is read without a notification
   */
  record Intervals(Duration heartbeat, Duration poll) {
    static final Intervals DEFAULT = new Intervals(Duration.ofSeconds(15), Duration.ofSeconds(5));
  }

  LogHub(JobStore store, Intervals intervals) {
    this.store = store;
    this.intervals = intervals;
    this.subscription = store.onChange(this::notifyChange);
  }

  private void notifyChange(JobId id) {
    LogFeed feed = feeds.get(id);
    if (feed != null) {
      feed.notifyChange();
    }
  }

  /** The number of logs that are followed. */
  int following() {
    return feeds.size();
  }

  /**
   * Sends the events of a job after number {@code position}, on the calling thread, until the job
   * has ended or the client has disconnected.
   */
  void stream(JobId id, long position, ApiResponse.Sink sink)
      throws IOException, InterruptedException {
    LogFeed feed =
        feeds.compute(
            id,
            (_, known) -> {
              LogFeed one = known == null ? new LogFeed(store, id, intervals.poll()) : known;
              one.streams++;
              return one;
            });
    try {
      if (closed) {
        feed.close(); // it was added after the close
      }
      new EventStreamSender(feed, intervals.heartbeat(), sink).run(position);
    } finally {
      feeds.computeIfPresent(id, (_, known) -> releaseStream(known));
    }
  }

  private static @Nullable LogFeed releaseStream(LogFeed feed) {
    if (--feed.streams > 0) {
      return feed;
    }
    feed.stop();
    return null;
  }

  @Override
  public void close() {
    closed = true;
    subscription.close();
    feeds.values().forEach(LogFeed::close);
  }
}

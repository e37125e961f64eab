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

/** The logs that somebody follows, each read once however many do. Thread-safe. */
final class LogHub implements AutoCloseable {
  private final JobStore store;
  private final Intervals pace;
  private final ConcurrentMap<JobId, LogFeed> feeds = new ConcurrentHashMap<>();
  private final Subscription subscription;
  private volatile boolean closed;

  /**
   * @param heartbeat after how long without an event a stream says that it is alive
   * @param poll how often a log is looked at without being told of a change
   */
  record Intervals(Duration heartbeat, Duration poll) {
    static final Intervals USUAL = new Intervals(Duration.ofSeconds(15), Duration.ofSeconds(5));
  }

  LogHub(JobStore store, Intervals pace) {
    this.store = store;
    this.pace = pace;
    this.subscription = store.onChange(this::notifyChange);
  }

  private void notifyChange(JobId id) {
    LogFeed feed = feeds.get(id);
    if (feed != null) {
      feed.notifyChange();
    }
  }

  /** How many logs are read at the moment. */
  int following() {
    return feeds.size();
  }

  /**
   * Sends the events of the job's entries after number {@code position} until it has ended or the
   * client has gone, on the calling thread.
   */
  void stream(JobId id, long position, ApiResponse.Sink sink)
      throws IOException, InterruptedException {
    LogFeed feed =
        feeds.compute(
            id,
            (_, known) -> {
              LogFeed one = known == null ? new LogFeed(store, id, pace.poll()) : known;
              one.streams++;
              return one;
            });
    try {
      if (closed) {
        feed.close(); // it came too late to be told
      }
      new EventStreamSender(feed, pace.heartbeat(), sink).run(position);
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

package dev.millrace.http.live;

import dev.millrace.http.live.LiveFeed.Snapshot;
import dev.millrace.http.live.LiveFeed.Watcher;
import dev.millrace.http.stream.EventStream;
import dev.millrace.http.transport.ClientGoneException;
import java.io.IOException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Sends the live state to one client. One that reads slowly misses states; each is complete.
 *
 * @param clientGone whether the client is known to have disconnected
 */
record LiveStream(LiveFeed feed, BooleanSupplier clientGone) implements EventStream.Source {
  /** How often it looks for its client while nothing happens. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  @Override
  public void write(EventStream events) throws IOException, InterruptedException {
    events.retryAfter(LOOK);
    long sent = System.nanoTime();
    long seen = 0;
    try (Watcher _ = feed.watch()) {
      while (!feed.isClosed()) {
        Snapshot next = feed.awaitAfter(seen, LOOK);
        if (next != null) {
          seen = next.number();
          events.sink().send(next.event());
          sent = System.nanoTime();
        } else if (clientGone.getAsBoolean()) {
          throw new ClientGoneException(false, null);
        } else if (System.nanoTime() - sent >= EventStream.KEEP_ALIVE_INTERVAL.toNanos()) {
          events.keepAlive();
          sent = System.nanoTime();
        }
        if (Thread.interrupted()) {
          throw new InterruptedException(); // it may never wait
        }
      }
    }
  }
}

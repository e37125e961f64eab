package dev.millrace.client;

import dev.millrace.api.SseEvent;
import dev.millrace.client.error.ApiException;
import dev.millrace.client.error.ClientException;
import dev.millrace.client.error.NetworkException;
import dev.millrace.client.internal.transport.ApiTransport;
import dev.millrace.client.internal.transport.ClientRequest;
import dev.millrace.client.internal.transport.EventConnection;
import dev.millrace.client.internal.transport.LineQueue;
import dev.millrace.client.internal.transport.SseParser;
import java.io.IOException;
import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The events of a job up to its final status. A connection that breaks or falls silent is made
 * again, and the server goes on after the last event seen: none is told twice, none is left out.
 * Read by one thread; {@link #close} may come from another.
 */
public final class JobEventStream implements Iterator<SseEvent>, AutoCloseable {

  /** A server says something every 15 s; one that is silent for this long is gone. */
  private static final Duration SILENCE = Duration.ofSeconds(45);

  /** How long it is tried again without a line from the server. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  private static final Duration USUAL_PAUSE = Duration.ofSeconds(2);

  private final ApiTransport transport;
  private final UUID job;
  private final @Nullable Long cursor;
  private final SseParser parser = new SseParser();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable EventConnection connection;
  private @Nullable String lastId;
  private @Nullable SseEvent ready;
  private boolean ended;
  private @Nullable Long failingSince;
  private long nextTry;
  private long lastLineAt;

  JobEventStream(ApiTransport channel, UUID job, @Nullable Long cursor) {
    this.transport = channel;
    this.job = job;
    this.cursor = cursor;
    this.nextTry = channel.timeSource().nanos();
  }

  /** Waits for the next event; false once the final status was read, or this is closed. */
  @Override
  public boolean hasNext() {
    while (ready == null && !isEnded()) {
      step(SILENCE);
    }
    return ready != null;
  }

  @Override
  public SseEvent next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    return take();
  }

  /** The next event if it comes in time, connecting included. */
  public Optional<SseEvent> poll(Duration atMost) {
    long end = now() + atMost.toNanos();
    boolean more = true;
    while (ready == null && !isEnded() && more) {
      more = step(until(end));
    }
    return ready == null ? Optional.empty() : Optional.of(take());
  }

  /** The same as a stream, which must be closed. */
  public Stream<SseEvent> stream() {
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false)
        .onClose(this::close);
  }

  /** Whether nothing more will come. */
  public boolean isEnded() {
    return ended || closed.getCount() == 0;
  }

  /** The cursor of the last event read; null before the first. */
  public @Nullable String lastEventId() {
    return lastId;
  }

  private SseEvent take() {
    SseEvent event = ready;
    if (event == null) {
      throw new NoSuchElementException();
    }
    ready = null;
    return event;
  }

  /**
   * Gets one step further towards the next event: connects, reads a line, learns of a failure.
   *
   * @return false if {@code atMost} passed with nothing
   */
  private boolean step(Duration atMost) {
    EventConnection current = connection;
    long end = now() + atMost.toNanos();
    try {
      if (current == null) {
        return connect(atMost);
      }
      return switch (current.status(atMost)) {
        case 0 -> onSilence();
        case 200 -> read(current.next(until(end)));
        case 204 -> ended = true; // all was seen before the connection broke
        default -> failed(current.refusal());
      };
    } catch (NetworkException e) {
      return failed(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw broken(e);
    }
  }

  /** Once it is time. */
  private boolean connect(Duration atMost) throws InterruptedException {
    Duration wait = Duration.ofNanos(nextTry - now());
    if (wait.isPositive()) {
      transport.timeSource().await(closed, wait.compareTo(atMost) < 0 ? wait : atMost);
      return now() - nextTry >= 0;
    }
    lastLineAt = now();
    connection = new EventConnection(transport, request());
    if (closed.getCount() == 0) {
      disconnect();
    }
    return true;
  }

  private boolean read(LineQueue.@Nullable Item item) {
    return switch (item) {
      case null -> onSilence();
      case LineQueue.Item.Text(String text) -> onLine(text);
      case LineQueue.Item.End(Throwable cause) ->
          failed(broken(cause == null ? new IOException("the stream ended early") : cause));
    };
  }

  private boolean onLine(String text) {
    lastLineAt = now();
    failingSince = null;
    SseEvent event = parser.accept(text);
    if (event != null) {
      ready = event;
      lastId = event.id() == null ? lastId : event.id();
      ended = event.isFinal();
      if (ended) {
        disconnect();
      }
    }
    return true;
  }

  private boolean onSilence() {
    return now() - lastLineAt > SILENCE.toNanos()
        && failed(broken(new HttpTimeoutException("the server is silent")));
  }

  private NetworkException broken(Throwable cause) {
    return NetworkException.of("events of " + job, cause);
  }

  /** Lets go of the connection and says when to try again, unless that would not help. */
  private boolean failed(ClientException problem) {
    disconnect();
    parser.discardPartial();
    long now = now();
    failingSince = failingSince == null ? now : failingSince;
    if (closed.getCount() > 0 && (!passing(problem) || now - failingSince > PATIENCE.toNanos())) {
      ended = true;
      throw problem;
    }
    Duration pause = parser.retry() == null ? USUAL_PAUSE : parser.retry();
    nextTry = now + pause.toNanos();
    return true;
  }

  private static boolean passing(ClientException problem) {
    return switch (problem) {
      case NetworkException e -> e.isTransient();
      case ApiException e ->
          switch (e.status()) {
            case 429, 502, 503, 504 -> true;
            default -> false;
          };
    };
  }

  private Duration until(long end) {
    return Duration.ofNanos(Math.max(0, end - now()));
  }

  private long now() {
    return transport.timeSource().nanos();
  }

  private ClientRequest request() {
    ClientRequest request =
        ClientRequest.get("/api/jobs/{}/events", job).header("Accept", "text/event-stream");
    return lastId == null
        ? request.query("cursor", cursor)
        : request.header("Last-Event-ID", lastId); // a cursor in the query would win over this
  }

  private void disconnect() {
    EventConnection current = connection;
    connection = null;
    if (current != null) {
      current.close();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    disconnect();
  }
}

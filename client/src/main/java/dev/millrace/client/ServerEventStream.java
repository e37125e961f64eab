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
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The events of a stream of the server, up to its last one if it has one. A connection that breaks
 * or falls silent is opened again and resumes after the last event: no event comes twice and none is
 * missing. One thread reads; any thread may call {@link #close}.
 */
public sealed class ServerEventStream implements Iterator<SseEvent>, AutoCloseable
    permits JobEventStream {

  /** The server sends something at least every 15 s; after this long without a line it is gone. */
  private static final Duration SILENCE = Duration.ofSeconds(45);

  /** How long to reconnect without a line from the server before giving up. */
  private static final Duration GIVE_UP_AFTER = Duration.ofMinutes(10);

  private static final Duration DEFAULT_PAUSE = Duration.ofSeconds(2);

  private final ApiTransport transport;
  private final Source source;
  private final SseParser parser = new SseParser();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable EventConnection connection;
  private @Nullable String lastId;
  private @Nullable SseEvent ready;
  private boolean ended;
  private @Nullable Long failingSince;
  private long nextTry;
  private long lastLineAt;

  /** What is read. */
  interface Source {
    /** What it is, for errors. */
    String what();

    /**
     * The request that begins after an event.
     *
     * @param lastId its id; null: from the start
     */
    ClientRequest request(@Nullable String lastId);

    /** Whether it is the last event. */
    boolean isLast(SseEvent event);
  }

  ServerEventStream(ApiTransport transport, Source source) {
    this.transport = transport;
    this.source = source;
    this.nextTry = transport.timeSource().nanos();
  }

  /** Waits for the next event; false after the last event, or when the stream is closed. */
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

  /** The next event, if it comes in time; the time to connect counts. */
  public Optional<SseEvent> poll(Duration atMost) {
    long end = now() + atMost.toNanos();
    boolean more = true;
    while (ready == null && !isEnded() && more) {
      more = step(until(end));
    }
    return ready == null ? Optional.empty() : Optional.of(take());
  }

  /** The events as a stream, which must be closed. */
  public Stream<SseEvent> stream() {
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(this, Spliterator.ORDERED), false)
        .onClose(this::close);
  }

  /** Whether no more events will come. */
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
   * Does one step towards the next event: connects, reads a line, or handles a failure.
   *
   * @return false if nothing happened in {@code atMost}
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
        case 204 -> ended = true; // the last event came before the connection broke
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

  /** Connects, after the pause that the last failure requires. */
  private boolean connect(Duration atMost) throws InterruptedException {
    Duration wait = Duration.ofNanos(nextTry - now());
    if (wait.isPositive()) {
      transport.timeSource().await(closed, wait.compareTo(atMost) < 0 ? wait : atMost);
      return now() - nextTry >= 0;
    }
    lastLineAt = now();
    connection =
        new EventConnection(
            transport, source.request(lastId).header("Accept", "text/event-stream"));
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
      ended = source.isLast(event);
      if (ended) {
        disconnect();
      }
    }
    return true;
  }

  private boolean onSilence() {
    return now() - lastLineAt > SILENCE.toNanos()
        && failed(broken(new HttpTimeoutException("no line in " + SILENCE.toSeconds() + " s")));
  }

  private NetworkException broken(Throwable cause) {
    return NetworkException.of(source.what(), cause);
  }

  /** Drops the connection and schedules the next try, or gives up. */
  private boolean failed(ClientException problem) {
    disconnect();
    parser.discardPartial();
    long now = now();
    failingSince = failingSince == null ? now : failingSince;
    if (closed.getCount() > 0
        && (!isTransient(problem) || now - failingSince > GIVE_UP_AFTER.toNanos())) {
      ended = true;
      throw problem;
    }
    Duration pause = parser.retry() == null ? DEFAULT_PAUSE : parser.retry();
    nextTry = now + pause.toNanos();
    return true;
  }

  private static boolean isTransient(ClientException problem) {
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

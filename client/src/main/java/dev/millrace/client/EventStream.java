package dev.millrace.client;

import dev.millrace.client.wire.SseEvent;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Flow;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The events of a job up to its final status. A connection that breaks or falls silent is made
 * again, and the server goes on after the last event seen: none is told twice, none is left out.
 * Read by one thread; {@link #close} may come from another.
 */
public final class EventStream implements Iterator<SseEvent>, AutoCloseable {

  /** A server says something every 15 s; one that is silent for this long is gone. */
  private static final Duration SILENCE = Duration.ofSeconds(45);

  /** Failures in a row, no event between them, after which it is given up. */
  private static final int MAX_FAILURES = 10;

  private static final Duration USUAL_PAUSE = Duration.ofSeconds(2);

  private final Line line;
  private final UUID job;
  private final @Nullable Long cursor;
  private final SseParser parser = new SseParser();
  private final CountDownLatch closed = new CountDownLatch(1);
  private volatile @Nullable LineQueue lines;
  private @Nullable String lastId;
  private @Nullable SseEvent ready;
  private boolean ended;
  private int failures;
  private long heardAt;

  EventStream(Line line, UUID job, @Nullable Long cursor) {
    this.line = line;
    this.job = job;
    this.cursor = cursor;
  }

  /** Waits for the next event; false once the final status was read, or this is closed. */
  @Override
  public boolean hasNext() {
    while (ready == null && !isEnded()) {
      fetch(SILENCE);
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

  /** The next event if it comes in time. */
  public Optional<SseEvent> poll(Duration atMost) {
    long end = line.timing().nanos() + atMost.toNanos();
    while (ready == null && !isEnded()) {
      long left = Math.max(0, end - line.timing().nanos());
      fetch(Duration.ofNanos(left));
      if (left == 0) {
        break;
      }
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

  /** Reads until there is an event, or {@code atMost} has passed. */
  private void fetch(Duration atMost) {
    try {
      LineQueue queue = lines == null ? connect() : lines;
      if (queue == null) {
        return;
      }
      long end = line.timing().nanos() + atMost.toNanos();
      while (ready == null && lines != null) {
        long left = Math.max(0, end - line.timing().nanos());
        LineQueue.Item item = queue.poll(Duration.ofNanos(left));
        read(queue, item);
        if (item == null && left == 0) {
          return;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      close();
      throw NetworkException.of("events of " + job, e);
    }
  }

  private void read(LineQueue queue, LineQueue.@Nullable Item item) throws InterruptedException {
    switch (item) {
      case null -> {
        if (line.timing().nanos() - heardAt > SILENCE.toNanos()) {
          broken(queue, null);
        }
      }
      case LineQueue.Item.Text(String text) -> {
        heardAt = line.timing().nanos();
        SseEvent event = parser.line(text);
        if (event != null) {
          ready = event;
          failures = 0;
          lastId = event.id() == null ? lastId : event.id();
          ended = event.isFinal();
          if (ended) {
            disconnect();
          }
        }
      }
      case LineQueue.Item.End(Throwable cause) -> broken(queue, cause);
    }
  }

  private void broken(LineQueue queue, @Nullable Throwable cause) throws InterruptedException {
    queue.cancel();
    lines = null;
    parser.broken();
    NetworkException problem =
        NetworkException.of(
            "events of " + job,
            cause == null ? new java.io.IOException("the stream ended early") : cause);
    failed(problem);
  }

  /** Counts a failure and waits before the next try; gives up after many in a row. */
  private void failed(ClientException problem) throws InterruptedException {
    if (closed.getCount() == 0) {
      return;
    }
    if (++failures > MAX_FAILURES) {
      ended = true;
      throw problem;
    }
    Duration pause = parser.retry() == null ? USUAL_PAUSE : parser.retry();
    line.timing().await(closed, failures == 1 ? Duration.ZERO : pause);
  }

  private @Nullable LineQueue connect() throws InterruptedException {
    try {
      LineQueue queue = new LineQueue();
      HttpResponse<Flow.Publisher<List<ByteBuffer>>> answer =
          line.transport().open(request(), line.trace().get(), BodyHandlers.ofPublisher());
      answer.body().subscribe(queue);
      if (answer.statusCode() == 204) { // all was seen before the connection broke
        ended = true;
        return null;
      }
      if (answer.statusCode() != 200) {
        refused(answer, queue);
        return null;
      }
      heardAt = line.timing().nanos();
      lines = queue;
      if (closed.getCount() == 0) {
        disconnect();
      }
      return queue;
    } catch (NetworkException e) {
      if (!e.passing()) {
        ended = true;
        throw e;
      }
      failed(e);
      return null;
    }
  }

  private Request request() {
    Request request =
        Request.get("/api/jobs/{}/events", job).header("Accept", "text/event-stream");
    return lastId == null
        ? request.query("cursor", cursor)
        : request.header("Last-Event-ID", lastId); // a cursor in the query would win over this
  }

  private void refused(
      HttpResponse<Flow.Publisher<List<ByteBuffer>>> answer, LineQueue body)
      throws InterruptedException {
    StringBuilder text = new StringBuilder();
    while (body.poll(Duration.ofSeconds(10)) instanceof LineQueue.Item item) {
      if (!(item instanceof LineQueue.Item.Text(String more))) {
        break;
      }
      text.append(more).append('\n');
    }
    body.cancel();
    int status = answer.statusCode();
    ApiException problem =
        ApiException.of(new Response(status, answer.headers(), text.toString(), 1));
    if (status != 429 && status != 502 && status != 503 && status != 504) {
      ended = true;
      throw problem;
    }
    failed(problem);
  }

  private void disconnect() {
    LineQueue queue = lines;
    lines = null;
    if (queue != null) {
      queue.cancel();
    }
  }

  @Override
  public void close() {
    closed.countDown();
    disconnect();
  }
}

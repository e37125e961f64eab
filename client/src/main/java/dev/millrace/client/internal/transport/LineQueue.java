package dev.millrace.client.internal.transport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The lines of a stream, between the thread that receives and the thread that reads. It requests
 * more only while few lines wait: a slow reader slows down the server and does not fill the memory.
 */
public final class LineQueue implements Flow.Subscriber<List<ByteBuffer>> {

  /** An item of the queue. */
  public sealed interface Item {
    record Text(String line) implements Item {}

    /** The server ended the stream, or the connection broke. */
    record End(@Nullable Throwable cause) implements Item {}
  }

  private static final int FEW_LINES = 256;

  /** The longest line is the output of a job, which is much shorter. */
  private static final int MAX_LINE_BYTES = 256 * 1024 * 1024;

  private final LinkedBlockingQueue<Item> items = new LinkedBlockingQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final ByteArrayOutputStream partial = new ByteArrayOutputStream();
  private boolean afterReturn;
  private volatile Flow.@Nullable Subscription subscription;
  private volatile boolean cancelled;

  LineQueue() {}

  @Override
  public void onSubscribe(Flow.Subscription given) {
    subscription = given;
    if (cancelled) {
      given.cancel();
    } else {
      given.request(1);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    buffers.forEach(this::split);
    if (partial.size() > MAX_LINE_BYTES) {
      items.add(
          new Item.End(
              new IOException("a line of the stream is longer than " + MAX_LINE_BYTES + " bytes")));
      cancel();
    } else if (waiting.get() < FEW_LINES) {
      requestMore();
    }
  }

  /** Ends a line at {@code \n}, {@code \r} or both. */
  private void split(ByteBuffer buffer) {
    while (buffer.hasRemaining()) {
      byte b = buffer.get();
      if (b == '\r' || b == '\n' && !afterReturn) {
        waiting.incrementAndGet();
        items.add(new Item.Text(partial.toString(StandardCharsets.UTF_8)));
        partial.reset();
      } else if (b != '\n') {
        partial.write(b);
      }
      afterReturn = b == '\r';
    }
  }

  @Override
  public void onError(Throwable cause) {
    items.add(new Item.End(cause));
  }

  @Override
  public void onComplete() {
    if (partial.size() > 0) { // the last line may have no newline
      items.add(new Item.Text(partial.toString(StandardCharsets.UTF_8)));
    }
    items.add(new Item.End(null));
  }

  /** The next line or the end; null if nothing came in time. */
  public @Nullable Item poll(Duration atMost) throws InterruptedException {
    Item item = items.poll(Math.max(0, atMost.toNanos()), TimeUnit.NANOSECONDS);
    if (item instanceof Item.Text && waiting.decrementAndGet() == FEW_LINES - 1) {
      requestMore(); // onNext did not
    }
    return item;
  }

  private void requestMore() {
    Flow.Subscription given = subscription;
    if (given != null) {
      given.request(1);
    }
  }

  void cancel() {
    cancelled = true;
    Flow.Subscription given = subscription;
    if (given != null) {
      given.cancel();
    }
    items.add(new Item.End(null)); // wakes the reader
  }
}

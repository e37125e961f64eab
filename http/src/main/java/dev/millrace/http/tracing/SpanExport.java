package dev.millrace.http.tracing;

import dev.millrace.http.monitoring.LogThrottle;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Exports spans in the background, and counts those that are lost: because the collector does not
 * take them, or because too many wait. The library would count and log in ways of its own; here the
 * log gets a line a minute at most. Thread-safe.
 */
final class SpanExport implements SpanProcessor {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** The most spans that wait or are being sent. */
  static final int MAX_PENDING = 2_048;

  private final SpanExporter exporter;
  private final BatchSpanProcessor batches;
  private final LogThrottle throttle;
  private final AtomicInteger pending = new AtomicInteger();
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean failing;

  SpanExport(SpanExporter exporter, LongSupplier nanoTime) {
    this.exporter = exporter;
    this.throttle = new LogThrottle(nanoTime);
    // its queue is never full, because this class counts what waits
    this.batches =
        BatchSpanProcessor.builder(new CountingExporter()).setMaxQueueSize(MAX_PENDING).build();
  }

  /** How many spans were lost. */
  long dropped() {
    return dropped.get();
  }

  /** Whether the last export failed: then it is not worth waiting for another. */
  boolean isFailing() {
    return failing;
  }

  /** The spans that are still here are lost. */
  void abandon() {
    int left = pending.getAndSet(0);
    if (left > 0) {
      lost(left, "the collector has not taken them before the stop");
    }
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {
    batches.onStart(parent, span);
  }

  @Override
  public boolean isStartRequired() {
    return batches.isStartRequired();
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (!span.getSpanContext().isSampled()) {
      return;
    }
    if (pending.incrementAndGet() > MAX_PENDING) {
      pending.decrementAndGet();
      lost(1, "more than " + MAX_PENDING + " wait");
    } else {
      batches.onEnd(span);
    }
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode forceFlush() {
    return batches.forceFlush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return batches.shutdown();
  }

  private void lost(int spans, String why) {
    dropped.addAndGet(spans);
    if (throttle.tryLog()) {
      LOG.log(
          Level.WARNING,
          "traces are lost, "
              + dropped.get()
              + " spans so far: "
              + why
              + "; requests are not affected");
    }
  }

  /** Learns what becomes of each batch. */
  private final class CountingExporter implements SpanExporter {
    @Override
    public CompletableResultCode export(Collection<SpanData> spans) {
      int count = spans.size();
      CompletableResultCode result = exporter.export(spans);
      result.whenComplete(
          () -> {
            pending.addAndGet(-count);
            failing = !result.isSuccess();
            if (failing) {
              lost(count, why(result.getFailureThrowable()));
            }
          });
      return result;
    }

    @Override
    public CompletableResultCode flush() {
      return exporter.flush();
    }

    @Override
    public CompletableResultCode shutdown() {
      return exporter.shutdown();
    }
  }

  private static String why(@Nullable Throwable problem) {
    if (problem == null) {
      return "the collector does not answer, or refuses them";
    }
    Throwable cause = problem;
    while (cause.getCause() != null) {
      cause = cause.getCause(); // the library wraps it several times
    }
    String text = cause.getMessage();
    return "the collector does not take them ("
        + cause.getClass().getSimpleName()
        + (text == null ? "" : ": " + text)
        + ")";
  }
}

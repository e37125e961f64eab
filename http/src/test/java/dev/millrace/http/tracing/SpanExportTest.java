package dev.millrace.http.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Spans that a collector does not take. */
@Timeout(60)
class SpanExportTest {
  private final AtomicLong nanoTime = new AtomicLong(-5);
  private final Logger logger = Logger.getLogger("dev.millrace.server");
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord line) {
          lines.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  @BeforeEach
  void captureTheLog() {
    logger.addHandler(handler);
  }

  @AfterEach
  void releaseTheLog() {
    logger.removeHandler(handler);
  }

  /** What becomes of each batch. */
  @FunctionalInterface
  private interface Collector extends SpanExporter {
    CompletableResultCode take();

    @Override
    default CompletableResultCode export(Collection<SpanData> spans) {
      return take();
    }

    @Override
    default CompletableResultCode flush() {
      return CompletableResultCode.ofSuccess();
    }

    @Override
    default CompletableResultCode shutdown() {
      return CompletableResultCode.ofSuccess();
    }
  }

  /** Ends a span, and waits until it is lost. */
  private static void lose(SpanExport export, SdkTracerProvider provider, int expected) {
    provider.get("test").spanBuilder("x").startSpan().end();
    await()
        .until(
            () -> { // a request to flush may be lost beside another that ends
              provider.forceFlush().join(30, TimeUnit.SECONDS);
              return export.dropped() == expected;
            });
  }

  @Test
  void lostSpansAreCountedAndLoggedOnceAMinute() {
    Collector refusing =
        () ->
            CompletableResultCode.ofExceptionalFailure(
                new CompletionException(
                    new UncheckedIOException(new IOException("connection refused"))));
    SpanExport export = new SpanExport(refusing, nanoTime::get);
    try (SdkTracerProvider provider =
        SdkTracerProvider.builder().addSpanProcessor(export).build()) {
      for (int i = 1; i <= 5; i++) {
        lose(export, provider, i);
      }
      assertThat(export.isFailing()).isTrue();
      assertThat(lines)
          .singleElement()
          .asString()
          .contains("traces are lost, 1 spans so far", "(IOException: connection refused)");
      nanoTime.addAndGet(Duration.ofMinutes(1).toNanos());
      lose(export, provider, 6);
      assertThat(lines).hasSize(2);
      assertThat(lines.getLast()).contains("6 spans so far");
    }
  }

  @Test
  void noMoreThanAQueueOfSpansWaitsForACollectorThatDoesNotAnswer() {
    CompletableResultCode never = new CompletableResultCode();
    SpanExport export = new SpanExport((Collector) () -> never, nanoTime::get);
    SdkTracerProvider provider = SdkTracerProvider.builder().addSpanProcessor(export).build();
    try {
      Tracer tracer = provider.get("test");
      for (int i = 0; i < SpanExport.MAX_PENDING + 10; i++) {
        tracer.spanBuilder("x").startSpan().end();
      }
      assertThat(export.dropped()).isEqualTo(10);
      nanoTime.addAndGet(Duration.ofMinutes(2).toNanos());
      export.abandon();
      assertThat(export.dropped()).isEqualTo(SpanExport.MAX_PENDING + 10);
      assertThat(lines.getLast())
          .contains("2058 spans so far", "has not taken them before the stop");
    } finally {
      never.succeed();
      provider.close();
    }
  }
}

package dev.millrace.http.tracing;

import dev.millrace.core.store.JobReader;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.server.TaskListener;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Exports spans to a collector over OTLP/HTTP (protobuf). If the collector cannot be reached, spans
 * are lost, but requests and tasks are not affected. Thread-safe.
 */
public final class OtlpTracing implements AutoCloseable {
  private static final Duration FLUSH_TIMEOUT = Duration.ofSeconds(5);

  /** What a stop waits for the last spans. */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(1);

  private final SdkTracerProvider provider;
  private final SpanExport export;
  private final Tracer tracer;

  private OtlpTracing(SdkTracerProvider provider, SpanExport export) {
    this.provider = provider;
    this.export = export;
    this.tracer = provider.get("dev.millrace");
  }

  /**
   * @param collector such as {@code http://localhost:4318}; without a path, spans go to {@code
   *     /v1/traces} there
   * @throws IllegalArgumentException if it is not an http or https URL
   */
  public static OtlpTracing open(URI collector) {
    OtlpHttpSpanExporter exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(endpoint(collector))
            .setTimeout(Duration.ofSeconds(10))
            .build();
    SpanExport export = new SpanExport(exporter, System::nanoTime);
    Resource resource =
        Resource.getDefault()
            .merge(
                Resource.create(Attributes.of(AttributeKey.stringKey("service.name"), "millrace")));
    return new OtlpTracing(
        SdkTracerProvider.builder().setResource(resource).addSpanProcessor(export).build(), export);
  }

  private static String endpoint(URI collector) {
    boolean http = "http".equals(collector.getScheme()) || "https".equals(collector.getScheme());
    if (!http || collector.getHost() == null) {
      throw new IllegalArgumentException(
          "OTLP collector \""
              + collector
              + "\" must be a URL such as http://localhost:4318 (OTLP over HTTP)");
    }
    String path = collector.getRawPath();
    return path == null || path.isEmpty() || path.equals("/")
        ? collector.resolve("/v1/traces").toString()
        : collector.toString();
  }

  /** The observer to register for HTTP requests. */
  public RequestObserver requestObserver() {
    return new RequestSpans(tracer);
  }

  /** The listener to register for the tasks of built-in workers. */
  public TaskListener taskListener(JobReader store) {
    return new TaskSpans(tracer, store);
  }

  /** Exports all finished spans. */
  void flush() {
    provider.forceFlush().join(FLUSH_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** How many spans were lost. */
  public long dropped() {
    return export.dropped();
  }

  /** Exports all finished spans, unless the collector takes none or needs longer than a second. */
  @Override
  public void close() {
    CompletableResultCode end = provider.shutdown();
    if (!export.isFailing()) {
      end.join(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    }
    if (!end.isSuccess()) {
      export.abandon();
    }
  }
}

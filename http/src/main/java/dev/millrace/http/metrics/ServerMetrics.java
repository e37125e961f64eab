package dev.millrace.http.metrics;

import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.http.limits.ConcurrencyLimiter;
import dev.millrace.http.limits.RequestSlots;
import dev.millrace.http.route.RequestObserver;
import dev.millrace.http.webhook.WebhookStats;
import dev.millrace.server.infer.InferenceStats;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.instrumentation.jvm.JvmGarbageCollectorMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmMemoryMetrics;
import io.prometheus.metrics.instrumentation.jvm.JvmRuntimeInfoMetric;
import io.prometheus.metrics.instrumentation.jvm.JvmThreadsMetrics;
import io.prometheus.metrics.instrumentation.jvm.ProcessMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.InstantSource;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All metrics of a server, and their text format. What the store's workers do is measured from what
 * the store reports. Thread-safe.
 */
public final class ServerMetrics implements AutoCloseable {
  private static final int MAX_TYPES = 100;

  /** The metrics as text, and its media type. */
  public record Rendered(String mediaType, byte[] body) {}

  private final PrometheusRegistry registry = new PrometheusRegistry();
  private final ExpositionFormats formats = ExpositionFormats.init();
  private final Subscription tasks;
  private final JobMeter jobs;
  private final HttpMeter http;

  /** Starts to measure the jobs of {@code store}. */
  public ServerMetrics(JobStore store, InstantSource clock) {
    BoundedTypeLabels types = new BoundedTypeLabels(MAX_TYPES);
    this.tasks = store.onWork(new TaskMeter(registry, types, clock));
    this.jobs = new JobMeter(registry, types, store, clock);
    this.http = new HttpMeter(registry);
    registry.register(new HealthMeter(store::health));
    registry.register(new QueueMeter(store::statusCounts, types, clock));
    JvmMemoryMetrics.builder().register(registry);
    JvmGarbageCollectorMetrics.builder().register(registry);
    JvmThreadsMetrics.builder().register(registry);
    JvmRuntimeInfoMetric.builder().register(registry);
    ProcessMetrics.builder().register(registry);
  }

  /** The observer to register for HTTP requests. */
  public RequestObserver observer() {
    return http;
  }

  /** Adds metrics of models; call it once. */
  public ServerMetrics inference(Supplier<InferenceStats> stats) {
    InferenceMeter.register(registry, stats);
    registry.register(new PipeMeter(stats));
    return this;
  }

  /** Adds metrics of webhooks; call it once. */
  public ServerMetrics webhooks(Supplier<WebhookStats> stats) {
    CounterWithCallback.builder()
        .name("millrace_webhooks_total")
        .help("Events delivered, failed requests (each is retried), and events given up.")
        .labelNames("outcome")
        .callback(
            point -> {
              WebhookStats now = stats.get();
              point.call(now.delivered(), "delivered");
              point.call(now.failed(), "failed");
              point.call(now.givenUp(), "given_up");
            })
        .register(registry);
    gauge(
        "millrace_webhooks_pending",
        "Webhooks in memory that wait or are in flight.",
        () -> stats.get().pending());
    return this;
  }

  /** Adds the requests that were refused because too many were under way; call it once. */
  public ServerMetrics refusals(RequestSlots slots) {
    CounterWithCallback.builder()
        .name("millrace_http_refused_total")
        .help("Requests refused because a caller, or the server, had too many under way.")
        .labelNames("kind", "limit")
        .callback(
            point -> {
              for (RequestSlots.Kind kind : RequestSlots.Kind.values()) {
                ConcurrencyLimiter.Refused refused = slots.of(kind).refused();
                point.call(refused.callers(), kind.label(), "caller");
                point.call(refused.all(), kind.label(), "server");
              }
            })
        .register(registry);
    return this;
  }

  /** Adds the number of spans that were lost; call it once. */
  public ServerMetrics traces(LongSupplier dropped) {
    CounterWithCallback.builder()
        .name("millrace_spans_dropped_total")
        .help("Spans that the collector of traces did not take.")
        .callback(point -> point.call(dropped.getAsLong()))
        .register(registry);
    return this;
  }

  /** Adds a gauge that is read when scraped; once per name. */
  public ServerMetrics gauge(String name, String help, IntSupplier value) {
    GaugeWithCallback.builder()
        .name(name)
        .help(help)
        .callback(point -> point.call(value.getAsInt()))
        .register(registry);
    return this;
  }

  /**
   * Renders all metrics.
   *
   * @param accept the request's {@code Accept} field: OpenMetrics if it names that, else the text
   *     format of Prometheus; null if absent
   */
  public Rendered render(@Nullable String accept) {
    boolean open = accept != null && accept.contains("application/openmetrics-text");
    ExpositionFormatWriter writer =
        open ? formats.getOpenMetricsTextFormatWriter() : formats.getPrometheusTextFormatWriter();
    ByteArrayOutputStream out = new ByteArrayOutputStream(16 << 10);
    try {
      writer.write(out, registry.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException(e); // cannot happen in memory
    }
    return new Rendered(writer.getContentType(), out.toByteArray());
  }

  @Override
  public void close() {
    tasks.close();
    jobs.close();
  }
}

package dev.millrace.http.metrics;

import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.RequestObserver;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** Measures HTTP requests. Labels are routes, not paths, because their number is fixed. */
final class HttpMeter implements RequestObserver {
  private static final double[] SECONDS = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30
  };

  private final Counter requests;
  private final Histogram latency;
  private final Counter bytes;

  HttpMeter(PrometheusRegistry registry) {
    Counter.Builder requestsBuilder =
        Counter.builder()
            .name("millrace_http_requests_total")
            .help("Requests that were answered.")
            .labelNames("method", "route", "status");
    requestsBuilder.withoutExemplars();
    this.requests = requestsBuilder.register(registry);
    Histogram.Builder latencyBuilder =
        Histogram.builder()
            .name("millrace_http_request_seconds")
            .help("From a request's first line to the last byte of its response.")
            .labelNames("method", "route")
            .classicOnly()
            .classicUpperBounds(SECONDS);
    latencyBuilder.withoutExemplars();
    this.latency = latencyBuilder.register(registry);
    Counter.Builder bytesBuilder =
        Counter.builder()
            .name("millrace_http_response_bytes_total")
            .help("Bytes of response bodies.")
            .labelNames("method", "route");
    bytesBuilder.withoutExemplars();
    this.bytes = bytesBuilder.register(registry);
  }

  @Override
  public void finished(CompletedRequest completed) {
    String route =
        completed.request().route() == null ? "none" : completed.request().route().path();
    String method = completed.request().method();
    requests.labelValues(method, route, Integer.toString(completed.response().status())).inc();
    latency.labelValues(method, route).observe(completed.response().nanos() / 1e9);
    bytes.labelValues(method, route).inc(Math.max(0, completed.response().bytes()));
  }
}

package dev.millrace.http.metrics;

import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.RequestObserver;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.Histogram;
import io.prometheus.metrics.model.registry.PrometheusRegistry;

/** What is asked over HTTP. Routes are labels, not paths: there are only so many. Thread-safe. */
final class HttpMeter implements RequestObserver {
  private static final double[] SECONDS = {
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30
  };

  private final Counter requests;
  private final Histogram latency;
  private final Counter bytes;

  HttpMeter(PrometheusRegistry registry) {
    Counter.Builder counted =
        Counter.builder()
            .name("millrace_http_requests_total")
            .help("Requests that were answered.")
            .labelNames("method", "route", "status");
    counted.withoutExemplars();
    this.requests = counted.register(registry);
    Histogram.Builder timed =
        Histogram.builder()
            .name("millrace_http_request_seconds")
            .help("From a request's first line to the last byte of its answer.")
            .labelNames("method", "route")
            .classicOnly()
            .classicUpperBounds(SECONDS);
    timed.withoutExemplars();
    this.latency = timed.register(registry);
    Counter.Builder sent =
        Counter.builder()
            .name("millrace_http_response_bytes_total")
            .help("Bytes of the answers' bodies.")
            .labelNames("method", "route");
    sent.withoutExemplars();
    this.bytes = sent.register(registry);
  }

  @Override
  public void finished(CompletedRequest served) {
    String route = served.route() == null ? "none" : served.route().path();
    String method = served.method();
    requests.labelValues(method, route, Integer.toString(served.status())).inc();
    latency.labelValues(method, route).observe(served.nanos() / 1e9);
    bytes.labelValues(method, route).inc(Math.max(0, served.bytes()));
  }
}

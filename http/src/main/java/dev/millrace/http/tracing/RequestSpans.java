package dev.millrace.http.tracing;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.route.CompletedRequest;
import dev.millrace.http.route.RequestObserver;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** A span for each request, below what the request says; what it makes belongs to that span. */
final class RequestSpans implements RequestObserver {

  /** What is asked every few seconds by machines: their spans are begun and never sent. */
  private static final Set<String> QUIET =
      Set.of(
          "/health", "/health/live", "/health/ready", "/liveness", "/metrics", "/service-metrics");

  private final Tracer tracer;
  private final Map<String, Span> open = new ConcurrentHashMap<>(); // by traceparent

  RequestSpans(Tracer tracer) {
    this.tracer = tracer;
  }

  @Override
  public TraceContext started(@Nullable TraceContext said) {
    Span span =
        tracer
            .spanBuilder("request")
            .setSpanKind(SpanKind.SERVER)
            .setParent(TraceContextConverter.parent(said))
            .startSpan();
    TraceContext own = TraceContextConverter.of(span);
    if (span.isRecording()) {
      open.put(own.parent(), span);
    }
    return own;
  }

  @Override
  public void finished(CompletedRequest served) {
    Span span = served.trace() == null ? null : open.remove(served.trace().parent());
    String route = served.route() == null ? null : served.route().path();
    if (span == null || route != null && QUIET.contains(route)) {
      return;
    }
    span.updateName(route == null ? served.method() : served.method() + " " + route);
    span.setAttribute("http.request.method", served.method());
    if (route != null) {
      span.setAttribute("http.route", route);
    }
    span.setAttribute("http.response.status_code", (long) served.status());
    span.setAttribute("http.response.body.size", served.bytes());
    span.setAttribute("millrace.request_id", served.requestId());
    if (served.status() >= 500) {
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }

  int open() {
    return open.size();
  }
}

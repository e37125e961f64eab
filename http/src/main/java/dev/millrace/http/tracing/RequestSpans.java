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

/** Creates a span for each request, as a child of the trace context that it sent. */
final class RequestSpans implements RequestObserver {

  /** Routes that are polled by machines: their spans are never exported. */
  private static final Set<String> POLLED_ROUTES =
      Set.of(
          "/health", "/health/live", "/health/ready", "/liveness", "/metrics", "/service-metrics");

  private final Tracer tracer;
  private final Map<String, Span> open = new ConcurrentHashMap<>(); // by traceparent

  RequestSpans(Tracer tracer) {
    this.tracer = tracer;
  }

  @Override
  public TraceContext started(@Nullable TraceContext received) {
    Span span =
        tracer
            .spanBuilder("request")
            .setSpanKind(SpanKind.SERVER)
            .setParent(TraceContextConverter.parent(received))
            .startSpan();
    TraceContext own = TraceContextConverter.of(span);
    if (span.isRecording()) {
      open.put(own.parent(), span);
    }
    return own;
  }

  @Override
  public void finished(CompletedRequest completed) {
    CompletedRequest.Request request = completed.request();
    CompletedRequest.Response response = completed.response();
    Span span = request.trace() == null ? null : open.remove(request.trace().parent());
    String route = request.route() == null ? null : request.route().path();
    if (span == null || route != null && POLLED_ROUTES.contains(route)) {
      return;
    }
    span.updateName(route == null ? request.method() : request.method() + " " + route);
    span.setAttribute("http.request.method", request.method());
    if (route != null) {
      span.setAttribute("http.route", route);
    }
    span.setAttribute("http.response.status_code", (long) response.status());
    span.setAttribute("http.response.body.size", response.bytes());
    span.setAttribute("millrace.request_id", request.id());
    if (response.status() >= 500) {
      span.setStatus(StatusCode.ERROR);
    }
    span.end();
  }

  int open() {
    return open.size();
  }
}

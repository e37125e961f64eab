package dev.millrace.http.tracing;

import dev.millrace.core.task.TraceContext;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Converts between our trace contexts and those of OpenTelemetry. */
final class TraceContextConverter {
  private static final String PARENT = "traceparent";
  private static final String STATE = "tracestate";
  private static final W3CTraceContextPropagator W3C = W3CTraceContextPropagator.getInstance();

  private static final TextMapGetter<TraceContext> FIELDS =
      new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(TraceContext trace) {
          return List.of(PARENT, STATE);
        }

        @Override
        public @Nullable String get(@Nullable TraceContext trace, String field) {
          if (trace == null) {
            return null;
          }
          return PARENT.equals(field) ? trace.parent() : trace.state();
        }
      };

  private TraceContextConverter() {}

  /** The parent context of a span below {@code trace}; the root if it is null or invalid. */
  static Context parent(@Nullable TraceContext trace) {
    return trace == null ? Context.root() : W3C.extract(Context.root(), trace, FIELDS);
  }

  static SpanContext spanContext(TraceContext trace) {
    return Span.fromContext(parent(trace)).getSpanContext();
  }

  /** The trace context to send for a span. */
  static TraceContext of(Span span) {
    Map<String, String> fields = new HashMap<>();
    W3C.inject(Context.root().with(span), fields, (to, name, value) -> into(to, name, value));
    String state = fields.get(STATE);
    boolean fits = state != null && !state.isEmpty() && state.length() <= TraceContext.MAX_STATE;
    return new TraceContext(fields.getOrDefault(PARENT, ""), fits ? state : null);
  }

  private static void into(@Nullable Map<String, String> fields, String name, String value) {
    if (fields != null) {
      fields.put(name, value);
    }
  }
}

package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/** The fields {@code traceparent} and {@code tracestate}, as W3C Trace Context defines them. */
final class TraceFields {
  private TraceFields() {}

  /** The trace; null where there is none, where it is not valid, or where it is all zeros. */
  static @Nullable TraceContext fromJson(JsonObject in) {
    String parent = in.string("traceparent", null);
    if (parent == null || !TraceContext.isParent(parent)) {
      return null;
    }
    TraceContext trace = new TraceContext(parent, in.string("tracestate", null));
    return trace.isStarted() ? trace : null;
  }

  /** Writes nothing where there is no trace. */
  static void putIfPresent(JsonObject out, @Nullable TraceContext trace) {
    if (trace != null) {
      out.put("traceparent", trace.parent()).putIfPresent("tracestate", trace.state());
    }
  }
}

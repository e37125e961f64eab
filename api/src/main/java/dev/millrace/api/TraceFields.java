package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/** The fields {@code traceparent} and {@code tracestate}, as W3C Trace Context defines them. */
final class TraceFields {
  /** Jobnik clients require a trace in every entity; this value stands for none. */
  private static final String NO_TRACE = "00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-00";

  private TraceFields() {}

  /** The trace; null where there is none or where it is not valid. */
  static @Nullable TraceContext fromJson(JsonObject in) {
    String parent = in.string("traceparent", null);
    return parent == null || parent.equals(NO_TRACE) || !TraceContext.isParent(parent)
        ? null
        : new TraceContext(parent, in.string("tracestate", null));
  }

  /** For requests: writes nothing where there is no trace. */
  static void putIfPresent(JsonObject out, @Nullable TraceContext trace) {
    if (trace != null) {
      out.put("traceparent", trace.parent()).putIfPresent("tracestate", trace.state());
    }
  }

  /** For answers, where {@code traceparent} is required. */
  static void putOrNoTrace(JsonObject out, @Nullable TraceContext trace) {
    if (trace == null) {
      out.put("traceparent", NO_TRACE);
    } else {
      putIfPresent(out, trace);
    }
  }
}

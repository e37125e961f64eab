package dev.millrace.api;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/** The trace of an entity, which Jobnik's clients find in every one of them. */
public final class TraceFields {
  public static final String NO_TRACE = "00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-00";

  private TraceFields() {}

  /** Its own, or else that of what it belongs to. */
  public static JsonObject put(
      JsonObject out, @Nullable TraceContext own, @Nullable TraceContext above) {
    TraceContext trace = own == null ? above : own;
    return trace == null
        ? out.put("traceparent", NO_TRACE)
        : out.put("traceparent", trace.parent()).putIfPresent("tracestate", trace.state());
  }
}

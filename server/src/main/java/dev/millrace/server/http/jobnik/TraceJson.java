package dev.millrace.server.http.jobnik;

import dev.millrace.core.job.TraceContext;
import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** The trace of an entity, which Jobnik's clients find in every one of them. */
final class TraceJson {
  static final String NONE = "00-" + "0".repeat(32) + "-" + "0".repeat(16) + "-00";

  private TraceJson() {}

  /** Its own, or else that of what it belongs to. */
  static JsonObject put(JsonObject out, @Nullable TraceContext own, @Nullable TraceContext above) {
    TraceContext trace = own == null ? above : own;
    return trace == null
        ? out.put("traceparent", NONE)
        : out.put("traceparent", trace.parent()).putIfPresent("tracestate", trace.state());
  }
}

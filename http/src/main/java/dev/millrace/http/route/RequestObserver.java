package dev.millrace.http.route;

import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/** Learns of each request when it comes and when its answer is out: metrics, traces. */
@FunctionalInterface
public interface RequestObserver {

  /**
   * A request has come; {@link #finished} follows. On the request's own thread; must not throw and
   * should not wait.
   *
   * @param said the trace that it belongs to, if it says so
   * @return the trace that what it does belongs to: the observer's own span, or what was said
   */
  default @Nullable TraceContext started(@Nullable TraceContext said) {
    return said;
  }

  /** On the request's own thread; must not throw and should not wait. */
  void finished(CompletedRequest served);
}

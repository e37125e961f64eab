package dev.millrace.http.route;

import dev.millrace.core.task.TraceContext;
import org.jspecify.annotations.Nullable;

/** Observes the arrival of requests and the end of their responses, for metrics and traces. */
@FunctionalInterface
public interface RequestObserver {

  /**
   * A request arrived; {@link #finished} follows. Runs on the request's thread; must not throw and
   * should not wait.
   *
   * @param received the trace context that the request sent; null if none
   * @return the trace context for the request's work: the observer's own span, or the one received
   */
  default @Nullable TraceContext started(@Nullable TraceContext received) {
    return received;
  }

  /** Runs on the request's thread; must not throw and should not wait. */
  void finished(CompletedRequest completed);
}

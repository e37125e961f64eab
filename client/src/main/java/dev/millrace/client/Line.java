package dev.millrace.client;

import dev.millrace.core.job.TraceContext;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A transport and the trace that requests over it belong to. */
record Line(
    Transport transport, Supplier<@Nullable TraceContext> trace, Timing timing, Meters meters) {

  Response send(Request request) {
    return transport.send(request, trace);
  }

  /** Sends what makes something, and counts it. */
  Response produce(String what, Request request) {
    long start = timing.nanos();
    boolean done = false;
    try {
      Response response = send(request);
      done = true;
      return response;
    } finally {
      meters.produced(what, done, since(start));
    }
  }

  Duration since(long start) {
    return Duration.ofNanos(timing.nanos() - start);
  }

  Line with(Supplier<@Nullable TraceContext> other) {
    return new Line(transport, other, timing, meters);
  }

  /** As a query writes a limit; 0 leaves it to the server. */
  static @Nullable Integer limit(int most) {
    return most > 0 ? most : null;
  }

  /** As a query writes a wish; nothing where there is none. */
  static @Nullable Boolean wish(boolean asked) {
    return asked ? true : null;
  }
}

package dev.millrace.client;

import dev.millrace.core.job.TraceContext;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A sender and the trace that requests over it belong to. */
record Channel(
    Sender sender, Supplier<@Nullable TraceContext> trace, Timing timing, ClientMeters meters) {

  Response send(Request request) {
    return sender.send(request, trace);
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

  /**
   * Sends what changes something; where it is refused after more than one try, {@code done} says
   * whether one before, whose answer was lost, had done it.
   */
  void settle(Request request, Predicate<ApiException> done) {
    Response response = exchange(request);
    if (!response.ok()) {
      ApiException refused = ApiException.of(response);
      if (response.tries() == 1 || !done.test(refused)) {
        throw refused;
      }
    }
  }

  /** An answer of any status. */
  Response exchange(Request request) {
    return sender.exchange(request, trace.get());
  }

  Duration since(long start) {
    return Duration.ofNanos(timing.nanos() - start);
  }

  Channel with(Supplier<@Nullable TraceContext> other) {
    return new Channel(sender, other, timing, meters);
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

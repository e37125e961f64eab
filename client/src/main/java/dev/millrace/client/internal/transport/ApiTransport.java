package dev.millrace.client.internal.transport;

import dev.millrace.client.error.ApiException;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A sender and the trace that requests over it belong to. */
public record ApiTransport(
    RequestSender sender,
    Supplier<@Nullable TraceContext> trace,
    TimeSource timeSource,
    ClientMeters meters) {

  public ClientResponse send(ClientRequest request) {
    return sender.send(request, trace);
  }

  /** Sends what makes something, and counts it. */
  public ClientResponse sendCreate(String what, ClientRequest request) {
    long start = timeSource.nanos();
    boolean done = false;
    try {
      ClientResponse response = send(request);
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
  public void sendChange(ClientRequest request, Predicate<ApiException> done) {
    ClientResponse response = exchange(request);
    if (!response.ok()) {
      ApiException refused = response.toException();
      if (response.tries() == 1 || !done.test(refused)) {
        throw refused;
      }
    }
  }

  /** An answer of any status. */
  public ClientResponse exchange(ClientRequest request) {
    return sender.exchange(request, trace.get());
  }

  public Duration since(long start) {
    return Duration.ofNanos(timeSource.nanos() - start);
  }

  public ApiTransport withTrace(Supplier<@Nullable TraceContext> other) {
    return new ApiTransport(sender, other, timeSource, meters);
  }

  /** As a query writes a limit; 0 leaves it to the server. */
  public static @Nullable Integer limitOrNull(int most) {
    return most > 0 ? most : null;
  }

  /** As a query writes a wish; nothing where there is none. */
  public static @Nullable Boolean trueOrNull(boolean asked) {
    return asked ? true : null;
  }
}

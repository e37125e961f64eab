package dev.millrace.client.internal.transport;

import dev.millrace.client.error.ApiException;
import dev.millrace.core.task.TraceContext;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends the requests of one client, with the trace that they belong to. */
public record ApiTransport(
    RequestSender sender,
    Supplier<@Nullable TraceContext> trace,
    TimeSource timeSource,
    ClientMeters meters) {

  public ClientResponse send(ClientRequest request) {
    return sender.send(request, trace);
  }

  /**
   * Sends a request that creates something, and counts it.
   *
   * @param what {@code job}, {@code stage} or {@code task}
   */
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
   * Sends a request that changes something. If a retry is refused, {@code done} decides whether an
   * earlier try, whose answer was lost, has made the change; then the refusal is returned.
   */
  public ClientResponse sendChange(ClientRequest request, Predicate<ApiException> done) {
    ClientResponse response = exchange(request);
    if (!response.ok()) {
      ApiException refused = response.toException();
      if (!response.repeated() || !done.test(refused)) {
        throw refused;
      }
    }
    return response;
  }

  /** Returns the answer whatever its status. */
  public ClientResponse exchange(ClientRequest request) {
    return sender.exchange(request, trace.get());
  }

  public Duration since(long start) {
    return Duration.ofNanos(timeSource.nanos() - start);
  }

  public ApiTransport withTrace(Supplier<@Nullable TraceContext> other) {
    return new ApiTransport(sender, other, timeSource, meters);
  }

  /** The value of a query parameter: null, for the default of the server, if {@code most} is 0. */
  public static @Nullable Integer limitOrNull(int most) {
    return most > 0 ? most : null;
  }

  /** The value of a query parameter that is left out unless it is true. */
  public static @Nullable Boolean trueOrNull(boolean flag) {
    return flag ? true : null;
  }
}

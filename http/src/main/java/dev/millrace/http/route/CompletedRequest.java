package dev.millrace.http.route;

import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import org.jspecify.annotations.Nullable;

/** A request whose response was sent or given up. */
public record CompletedRequest(Request request, Response response) {

  /**
   * What was asked, and by whom.
   *
   * @param method as sent, or {@code _OTHER} if there is no route
   * @param route null if none matches
   * @param principal null if the caller was not recognized
   * @param trace what {@link RequestObserver#started} returned for it; null if there is none
   */
  public record Request(
      String id,
      String method,
      @Nullable Route route,
      @Nullable Principal principal,
      @Nullable TraceContext trace) {}

  /**
   * How it ended.
   *
   * @param status as sent; 499 if the client disconnected, 408 if it was too slow
   * @param nanos from the request's first line to the last byte of the response
   * @param bytes of the response's body
   */
  public record Response(int status, long nanos, long bytes) {}
}

package dev.millrace.http.route;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request that was authorized, with a body that matches its schema. */
public interface ApiRequest {

  /** A UUID made for this request; also in the response's {@code X-Request-Id}. */
  String requestId();

  Principal principal();

  /** The path as the client wrote it, without the query. */
  String path();

  /** The path and the query as the client wrote them. */
  default String target() {
    return path();
  }

  /** A path parameter, decoded. */
  String pathParameter(String name);

  /** A query parameter, decoded; the OpenAPI document lists them. */
  Optional<String> query(String name);

  Optional<String> header(String name);

  /**
   * The body, parsed and checked against the document; null if there is none, and after the
   * request's handler returned.
   */
  @Nullable Object body();

  /** The body of an operation whose body is an object. */
  default JsonObject bodyObject() {
    return JsonObject.of(body(), "request body");
  }

  /** The trace that the request belongs to; null if it has no valid {@code traceparent}. */
  @Nullable TraceContext trace();

  /** The trace of a job that the request creates: the request's, or a new one. */
  default TraceContext traceOrNew() {
    TraceContext own = trace();
    return own == null ? TraceContext.start() : own;
  }

  /**
   * Whether the client is known to have disconnected. For handlers that wait for a long time and
   * then hand out something that would be lost, such as a task.
   */
  default boolean isClientGone() {
    return false;
  }

  /**
   * Whether the caller's key still allows this request. For handlers that wait for a long time and
   * then hand out something.
   */
  default boolean isAdmitted() {
    return true;
  }

  /**
   * Reserves memory for part of a response while it is built, so that all requests together do not
   * exhaust it.
   *
   * @param characters of that part, as {@code JsonTextSize} counts them
   * @throws Problem UNAVAILABLE if other requests use too much memory now
   */
  default void reserveMemory(long characters) {}

  /**
   * Reserves one of the streams that the server may have open. A handler that starts something for
   * a stream calls it before; it is harmless to call it again.
   *
   * @throws Problem TOO_MANY_REQUESTS if the caller's key has too many streams, UNAVAILABLE if the
   *     server has
   */
  default void reserveStream() {}

  /** As {@link #reserveStream}, for a request that waits for a task. */
  default void reserveLongPoll() {}
}

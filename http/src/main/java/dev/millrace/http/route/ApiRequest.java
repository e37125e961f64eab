package dev.millrace.http.route;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.TraceContext;
import dev.millrace.http.auth.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request that is allowed, with a body that fits its schema. */
public interface ApiRequest {

  /** A fresh UUID, also in the answer's {@code X-Request-Id}. */
  String requestId();

  Principal principal();

  /** The path as it was asked for, without the query. */
  String path();

  /** The path and the query as the client wrote them. */
  default String target() {
    return path();
  }

  /** A parameter in the path, decoded. */
  String pathParameter(String name);

  /** A parameter in the query, decoded; the document says which there are. */
  Optional<String> query(String name);

  Optional<String> header(String name);

  /**
   * The body, parsed and checked against the document; null where there is none, and once the
   * request's handler has returned.
   */
  @Nullable Object body();

  /** The body where the document says that it is an object. */
  default JsonObject bodyObject() {
    return JsonObject.of(body(), "request body");
  }

  /** The trace that the request belongs to; null if it says nothing, or nonsense. */
  @Nullable TraceContext trace();

  /**
   * Whether the client is known to have hung up, so that nobody would read the answer. Asked by
   * what waits long before it answers, and would hand out something that is then lost.
   */
  default boolean isClientGone() {
    return false;
  }

  /**
   * Counts part of an answer while it is being made, so that all requests together do not take more
   * memory than there is.
   *
   * @param characters of that part, as {@code JsonTextSize} tells
   * @throws Problem if others have so much now that there is no room for it
   */
  default void reserveMemory(long characters) {}
}

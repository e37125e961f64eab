package dev.millrace.http.route;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The response that a handler returns. */
public sealed interface ApiResponse {
  int status();

  /** Header fields besides those that every response has. */
  Map<String, String> headers();

  /** What to run if the response cannot be delivered; null: nothing. */
  default @Nullable Runnable undelivered() {
    return null;
  }

  /**
   * A JSON value; no body if the status is 204.
   *
   * @param undelivered takes back what the response hands out, if the client does not get it
   */
  record Json(
      int status,
      Map<String, String> headers,
      @Nullable Object body,
      @Nullable Runnable undelivered)
      implements ApiResponse {
    public Json(int status, Map<String, String> headers, @Nullable Object body) {
      this(status, headers, body, null);
    }
  }

  /**
   * Any other content.
   *
   * @param gzip the same body compressed, for clients that accept that; null: to be compressed
   */
  record Content(
      int status,
      Map<String, String> headers,
      String mediaType,
      byte[] body,
      byte @Nullable [] gzip)
      implements ApiResponse {
    public Content(int status, Map<String, String> headers, String mediaType, byte[] body) {
      this(status, headers, mediaType, body, null);
    }
  }

  /**
   * Content that is sent in pieces until {@code body} returns or the client disconnects. The header
   * is sent with the first bytes: a stream should send some at once.
   *
   * @param undelivered releases what the stream holds, if it is not sent to its end
   */
  record Stream(
      int status,
      Map<String, String> headers,
      String mediaType,
      Body body,
      @Nullable Runnable undelivered)
      implements ApiResponse {
    public Stream(int status, Map<String, String> headers, String mediaType, Body body) {
      this(status, headers, mediaType, body, null);
    }
  }

  /** Writes a stream. */
  @FunctionalInterface
  interface Body {
    /** Runs on the request's own virtual thread; it is interrupted when the server stops. */
    void write(Sink sink) throws IOException, InterruptedException;
  }

  /** Where a stream goes. */
  @FunctionalInterface
  interface Sink {
    /**
     * Sends bytes without delay.
     *
     * @throws IOException if the client disconnected or does not read
     */
    void send(byte[] bytes) throws IOException;
  }

  static ApiResponse json(int status, @Nullable Object body) {
    return new Json(status, Map.of(), body);
  }

  static ApiResponse ok(Object body) {
    return json(200, body);
  }
}

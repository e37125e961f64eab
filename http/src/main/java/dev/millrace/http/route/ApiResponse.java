package dev.millrace.http.route;

import java.io.IOException;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is answered. */
public sealed interface ApiResponse {
  int status();

  /** Header fields beside those that every answer has. */
  Map<String, String> headers();

  /** What to do if the answer cannot be delivered; null: nothing. */
  default @Nullable Runnable undelivered() {
    return null;
  }

  /**
   * A JSON value; no body at all where it is null and the status is 204.
   *
   * @param undelivered takes back what the answer hands out, if there is nobody to have it
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

  /** Any other content. */
  record Content(int status, Map<String, String> headers, String mediaType, byte[] body)
      implements ApiResponse {}

  /**
   * Content that comes bit by bit, as long as {@code body} runs or the client listens. The header
   * goes out with the first bytes: a stream should begin with some at once.
   */
  record Stream(int status, Map<String, String> headers, String mediaType, Body body)
      implements ApiResponse {}

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
     * Sends bytes on their way at once.
     *
     * @throws IOException if the client is gone or has not read for too long
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

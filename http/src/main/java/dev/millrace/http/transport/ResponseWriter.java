package dev.millrace.http.transport;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.http.route.ApiResponse;
import dev.millrace.http.route.RequestIds;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.http.Status;
import io.helidon.webserver.http.RoutingResponse;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sends the response to one request. */
public final class ResponseWriter {
  /** Responses are written in pieces of this size; the timeout applies to each piece. */
  private static final int PIECE = 64 << 10;

  private final ServerResponse response;
  private final StallTimer stall;
  private final long timeoutNanos;
  private long bytes;
  private int status;
  private boolean close;
  private @Nullable String vary; // by which other fields of a request the response varies

  public ResponseWriter(ServerResponse response, StallTimer stall, long timeoutNanos) {
    this.response = response;
    this.stall = stall;
    this.timeoutNanos = timeoutNanos;
  }

  /** How long a client may leave a piece unread. */
  public long timeoutNanos() {
    return timeoutNanos;
  }

  /** Bytes of the body sent so far. */
  public long bytes() {
    return bytes;
  }

  /** The status sent; 0 if nothing was sent yet. */
  public int status() {
    return status;
  }

  public boolean closesConnection() {
    return close;
  }

  /** Closes the connection after this response: further input could not be parsed. */
  public void closeConnectionAfter() {
    close = true;
  }

  /** Header fields besides those of the response itself. */
  public void addHeaders(Map<String, String> fields) {
    fields.forEach(this::header);
  }

  /**
   * Sends a response and returns when it is written.
   *
   * @param head whether to send the header only
   * @param zip whether the client accepts gzip
   * @throws ClientGoneException if it could not be sent
   */
  public void send(ApiResponse apiResponse, String requestId, boolean head, boolean zip)
      throws InterruptedException {
    apiResponse.headers().forEach(ResponseWriter::check);
    switch (apiResponse) {
      case ApiResponse.Json json -> {
        byte[] body = json.status() == 204 ? new byte[0] : bytes(json.body());
        begin(apiResponse, requestId, "application/json");
        whole(body, null, head, zip);
      }
      case ApiResponse.Content content -> {
        begin(apiResponse, requestId, content.mediaType());
        whole(content.body(), content.gzip(), head, zip);
      }
      case ApiResponse.Stream stream -> {
        begin(apiResponse, requestId, stream.mediaType());
        if (head) {
          out(response::send);
        } else {
          stream(stream.body());
        }
      }
    }
  }

  private static byte[] bytes(@Nullable Object json) {
    try {
      return Json.write(json).getBytes(StandardCharsets.UTF_8);
    } catch (JsonException e) {
      throw new IllegalStateException("a handler returned a value that is not JSON", e);
    }
  }

  /** A value may contain text of a client: it must not start another field. */
  private static void check(String name, String value) {
    if (name.isEmpty() || !name.chars().allMatch(c -> c > ' ' && c < 127 && c != ':')) {
      throw new IllegalStateException("not a header field name: " + name);
    }
    if (!value.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw new IllegalStateException("header field " + name + " must be printable ASCII");
    }
  }

  private void begin(ApiResponse apiResponse, String requestId, String mediaType) {
    status = apiResponse.status();
    response.status(Status.create(status));
    header(RequestIds.HEADER, requestId);
    header("X-Content-Type-Options", "nosniff");
    header("Cache-Control", "no-store");
    if (status != 204) {
      header("Content-Type", mediaType);
    }
    if (close) {
      response.header(HeaderValues.CONNECTION_CLOSE);
    }
    apiResponse.headers().forEach(this::header);
    vary = apiResponse.headers().get("Vary");
  }

  private void header(String name, String value) {
    response.header(HeaderNames.create(name), value);
  }

  private void whole(byte[] content, byte @Nullable [] packed, boolean head, boolean zip) {
    byte[] body = content;
    if (content.length >= Gzip.MIN_BYTES) {
      header("Vary", vary == null ? "Accept-Encoding" : vary + ", Accept-Encoding");
      if (zip) {
        body = packed == null ? Gzip.pack(content) : packed;
        header("Content-Encoding", "gzip");
      }
    }
    if (head) {
      response.contentLength(body.length);
      out(response::send);
    } else if (body.length <= PIECE) {
      byte[] small = body;
      bytes = small.length;
      out(() -> response.send(small));
    } else {
      response.contentLength(body.length);
      pieces(body);
    }
  }

  private void pieces(byte[] body) {
    OutputStream out = response.outputStream();
    pieces(out, body);
    out(() -> end(out));
  }

  private void pieces(OutputStream out, byte[] body) {
    for (int at = 0; at < body.length; at += PIECE) {
      int from = at;
      int size = Math.min(PIECE, body.length - at);
      out(() -> write(out, body, from, size));
      bytes += size;
    }
  }

  private void stream(ApiResponse.Body body) throws InterruptedException {
    OutputStream out = response.outputStream();
    try {
      body.write(
          event -> {
            try {
              pieces(out, event);
            } catch (ClientGoneException e) {
              throw new IOException(e.getMessage(), e);
            }
          });
    } catch (IOException e) {
      throw e.getCause() instanceof ClientGoneException gone
          ? gone
          : new ClientGoneException(false, e);
    } catch (InterruptedException e) {
      // the server stops: end the stream normally, everything sent is complete
    }
    out(() -> end(out));
  }

  private void out(StallTimer.BlockingAction waiting) {
    stall.whileWaiting(timeoutNanos, waiting);
  }

  private static void write(OutputStream out, byte[] bytes, int from, int size) {
    try {
      out.write(bytes, from, size);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Commits at once: Helidon sends the end of a stream later, or never on the last response. */
  private void end(OutputStream out) {
    try {
      out.close();
      if (response instanceof RoutingResponse routing) {
        routing.commit();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

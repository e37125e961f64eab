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
import org.jspecify.annotations.Nullable;

/** The answer to one request on its way. */
public final class ResponseWriter {
  /** Written in pieces of this size, so that a client is slow only if it takes none of them. */
  private static final int PIECE = 64 << 10;

  private final ServerResponse response;
  private final StallTimer stall;
  private final long patience;
  private long bytes;
  private int status;
  private boolean close;

  public ResponseWriter(ServerResponse response, StallTimer stall, long patience) {
    this.response = response;
    this.stall = stall;
    this.patience = patience;
  }

  /** Bytes of the body so far. */
  public long bytes() {
    return bytes;
  }

  /** The status sent; 0 as long as nothing was. */
  public int status() {
    return status;
  }

  public boolean closesConnection() {
    return close;
  }

  /** Nothing is to come after this answer: what the client sends could not be understood. */
  public void closeConnectionAfter() {
    close = true;
  }

  /**
   * Sends it and returns when it is out.
   *
   * @param head whether only the header is wanted
   * @param zip whether the client reads gzip
   * @throws ClientGoneException if it could not be sent
   */
  public void send(ApiResponse reply, String requestId, boolean head, boolean zip)
      throws InterruptedException {
    reply.headers().forEach(ResponseWriter::check);
    switch (reply) {
      case ApiResponse.Json json -> {
        byte[] body = json.status() == 204 ? new byte[0] : bytes(json.body());
        begin(reply, requestId, "application/json");
        whole(body, head, zip);
      }
      case ApiResponse.Content content -> {
        begin(reply, requestId, content.mediaType());
        whole(content.body(), head, zip);
      }
      case ApiResponse.Stream stream -> {
        begin(reply, requestId, stream.mediaType());
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
      throw new IllegalStateException("a handler's answer is no JSON", e);
    }
  }

  /** A handler may have made it of what a client said: it must not end the field. */
  private static void check(String name, String value) {
    if (name.isEmpty() || !name.chars().allMatch(c -> c > ' ' && c < 127 && c != ':')) {
      throw new IllegalStateException("no name of a header field: " + name);
    }
    if (!value.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw new IllegalStateException("header field " + name + " must be printable ASCII");
    }
  }

  private void begin(ApiResponse reply, String requestId, String mediaType) {
    status = reply.status();
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
    reply.headers().forEach(this::header);
  }

  private void header(String name, String value) {
    response.header(HeaderNames.create(name), value);
  }

  private void whole(byte[] content, boolean head, boolean zip) {
    byte[] body = content;
    if (content.length >= Gzip.MIN_BYTES) {
      header("Vary", "Accept-Encoding");
      if (zip) {
        body = Gzip.pack(content);
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
    for (int at = 0; at < body.length; at += PIECE) {
      int from = at;
      int size = Math.min(PIECE, body.length - at);
      out(() -> write(out, body, from, size));
      bytes += size;
    }
    out(() -> end(out));
  }

  private void stream(ApiResponse.Body body) throws InterruptedException {
    OutputStream out = response.outputStream();
    try {
      body.write(
          piece -> {
            try {
              out(() -> write(out, piece, 0, piece.length));
              bytes += piece.length;
            } catch (ClientGoneException e) {
              throw new IOException(e.getMessage(), e);
            }
          });
    } catch (IOException e) {
      throw e.getCause() instanceof ClientGoneException gone
          ? gone
          : new ClientGoneException(false, e);
    } catch (InterruptedException e) {
      // the server stops: what was sent is whole, and so the stream ends as any other
    }
    out(() -> end(out));
  }

  private void out(StallTimer.BlockingAction waiting) {
    stall.whileWaiting(patience, waiting);
  }

  private static void write(OutputStream out, byte[] bytes, int from, int size) {
    try {
      out.write(bytes, from, size);
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The server below would add the end of a stream later, or not at all to a last answer. */
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

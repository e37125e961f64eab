package dev.millrace.bench.http;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;

/**
 * A persistent connection: writes a request and reads its response. It knows as much of HTTP/1.1 as
 * this server needs: every response has a content length.
 */
final class RawConnection implements AutoCloseable {
  private static final int PATIENCE_MILLIS = 90_000;
  private static final String LENGTH = "\r\ncontent-length:";

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private byte[] buffer = new byte[4096];
  private int filled;

  RawConnection(URI server) throws IOException {
    socket = new Socket(server.getHost(), server.getPort());
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(PATIENCE_MILLIS);
    in = socket.getInputStream();
    out = socket.getOutputStream();
  }

  /** The bytes of a request. */
  static byte[] request(String line, String fields, String body) {
    byte[] content = body.getBytes(StandardCharsets.UTF_8);
    String head =
        line
            + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            + fields
            + (content.length > 0 ? "Content-Type: application/json\r\n" : "")
            + "Content-Length: "
            + content.length
            + "\r\n\r\n";
    byte[] start = head.getBytes(StandardCharsets.US_ASCII);
    byte[] whole = Arrays.copyOf(start, start.length + content.length);
    System.arraycopy(content, 0, whole, start.length, content.length);
    return whole;
  }

  /** The body of the response, whose status must be {@code status}. */
  String send(byte[] request, int status) throws IOException {
    out.write(request);
    filled = 0;
    int end = head();
    String head = new String(buffer, 0, end, StandardCharsets.US_ASCII);
    int length = length(head);
    fill(end + length);
    String body = new String(buffer, end, length, StandardCharsets.UTF_8);
    if (!head.startsWith("HTTP/1.1 " + status + " ")) {
      throw new IOException("not " + status + ": " + head.substring(0, head.indexOf('\r')) + body);
    }
    return body;
  }

  /** The offset of the body. */
  private int head() throws IOException {
    int at = 0;
    while (true) {
      for (; at + 4 <= filled; at++) {
        if (buffer[at] == '\r'
            && buffer[at + 1] == '\n'
            && buffer[at + 2] == '\r'
            && buffer[at + 3] == '\n') {
          return at + 4;
        }
      }
      fill(filled + 1);
    }
  }

  private static int length(String head) throws IOException {
    int at = head.toLowerCase(Locale.ROOT).indexOf(LENGTH);
    if (at < 0) {
      throw new IOException("a response without a content length: " + head);
    }
    int from = at + LENGTH.length();
    return Integer.parseInt(head.substring(from, head.indexOf('\r', from)).strip());
  }

  private void fill(int least) throws IOException {
    if (least > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(least, 2 * buffer.length));
    }
    while (filled < least) {
      int read = in.read(buffer, filled, buffer.length - filled);
      if (read < 0) {
        throw new EOFException("the server closed the connection within a response");
      }
      filled += read;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

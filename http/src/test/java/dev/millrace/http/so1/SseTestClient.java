package dev.millrace.http.so1;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A client of server-sent events that reads its socket only on demand. */
final class SseTestClient implements AutoCloseable {

  /** An event; the comments before it do not show. */
  record Event(long id, String name, JsonObject data) {
    String state() {
      return data.string("state");
    }
  }

  final Socket socket = new Socket();
  final int status;
  final List<String> comments = new CopyOnWriteArrayList<>();
  private final InputStream in;
  private int left; // bytes of the current chunk
  private boolean whole;

  /**
   * @param receive the size of the receive buffer; 0 for the default
   */
  SseTestClient(URI uri, int receive, String... headers) throws IOException {
    if (receive > 0) {
      socket.setReceiveBufferSize(receive);
    }
    socket.setSoTimeout((int) So1TestServer.LONG.toMillis());
    socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
    StringBuilder request = new StringBuilder("GET " + uri.getRawPath());
    if (uri.getRawQuery() != null) {
      request.append('?').append(uri.getRawQuery());
    }
    request.append(" HTTP/1.1\r\nHost: ").append(uri.getAuthority()).append("\r\n");
    for (int i = 0; i < headers.length; i += 2) {
      request.append(headers[i]).append(": ").append(headers[i + 1]).append("\r\n");
    }
    byte[] bytes = request.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
    socket.getOutputStream().write(bytes);
    in = new BufferedInputStream(socket.getInputStream());
    status = Integer.parseInt(rawLine().split(" ")[1]);
    while (!rawLine().isEmpty()) {
      // header fields
    }
  }

  static SseTestClient to(So1TestServer service, String target, String... headers)
      throws IOException {
    return new SseTestClient(service.uri(target), 0, headers);
  }

  /** The next event; null after the regular end of the stream. */
  @Nullable Event next() throws IOException {
    long id = -1;
    String name = "";
    while (true) {
      String line = line();
      if (line == null) {
        return null;
      }
      if (line.startsWith(":")) {
        comments.add(line);
      } else if (line.startsWith("id: ")) {
        id = Long.parseLong(line.substring(4));
      } else if (line.startsWith("event: ")) {
        name = line.substring(7);
      } else if (line.startsWith("data: ")) {
        return new Event(id, name, Json.object(line.substring(6)));
      }
    }
  }

  /** All events until the end of the stream. */
  List<Event> rest() throws IOException {
    List<Event> events = new ArrayList<>();
    for (Event event = next(); event != null; event = next()) {
      events.add(event);
    }
    return events;
  }

  /** Whether the stream has ended with its last chunk, not with a broken connection. */
  boolean endedInOrder() {
    return whole;
  }

  private @Nullable String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    while (true) {
      int c = content();
      if (c < 0) {
        return null;
      }
      if (c == '\n') {
        return line.toString(StandardCharsets.UTF_8);
      }
      line.write(c);
    }
  }

  /** The next byte of the chunked body. */
  private int content() throws IOException {
    while (left == 0) {
      if (whole) {
        return -1;
      }
      String size = rawLine();
      if (size.isEmpty()) {
        size = rawLine(); // the end of the previous chunk
      }
      left = Integer.parseInt(size, 16);
      whole = left == 0;
    }
    left--;
    int c = in.read();
    if (c < 0) {
      throw new IOException("connection closed within a chunk");
    }
    return c;
  }

  private String rawLine() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new IOException("connection closed");
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

package dev.millrace.http;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** An HTTP/1.1 client that sends any bytes, valid or not. */
final class RawHttp1Client implements AutoCloseable {
  private final Socket socket;
  private final InputStream in;

  private RawHttp1Client(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  static RawHttp1Client to(HttpService service) throws IOException {
    return to(service, 0);
  }

  /**
   * @param receive bytes of the receive buffer; 0: the default
   */
  static RawHttp1Client to(HttpService service, int receive) throws IOException {
    Socket socket = new Socket();
    if (receive > 0) {
      socket.setReceiveBufferSize(receive);
    }
    socket.setSoTimeout(20_000);
    socket.connect(new InetSocketAddress("127.0.0.1", service.address().getPort()));
    return new RawHttp1Client(socket);
  }

  /** Sends one request on a new connection. */
  static Response ask(HttpService service, String method, String target, String... more)
      throws IOException {
    try (RawHttp1Client wire = to(service)) {
      return wire.ask(method, target, more);
    }
  }

  Response ask(String method, String target, String... more) throws IOException {
    request(method, target, more);
    return read(method.equals("HEAD"));
  }

  /** Sends a request; {@code more} are its header fields, then an empty text and the body. */
  RawHttp1Client request(String method, String target, String... more) throws IOException {
    StringBuilder text = new StringBuilder(method + " " + target + " HTTP/1.1\r\n");
    String body = "";
    boolean host = false;
    for (String line : more) {
      if (line.startsWith("\n")) {
        body = line.substring(1);
        text.append("Content-Length: ")
            .append(body.getBytes(StandardCharsets.UTF_8).length)
            .append("\r\n");
      } else {
        text.append(line).append("\r\n");
        host |= line.toLowerCase(Locale.ROOT).startsWith("host:");
      }
    }
    if (!host) {
      text.append("Host: localhost\r\n");
    }
    return send(text + "\r\n" + body);
  }

  RawHttp1Client send(String text) throws IOException {
    return send(text.getBytes(StandardCharsets.UTF_8));
  }

  RawHttp1Client send(byte[] bytes) throws IOException {
    socket.getOutputStream().write(bytes);
    socket.getOutputStream().flush();
    return this;
  }

  Response read(boolean head) throws IOException {
    String status = line();
    Map<String, String> fields = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      fields.merge(
          line.substring(0, colon), line.substring(colon + 1).strip(), (a, b) -> a + "," + b);
    }
    int code = Integer.parseInt(status.split(" ")[1]);
    byte[] body = head || code == 204 || code == 100 ? new byte[0] : body(fields);
    return new Response(code, fields, body);
  }

  private byte[] body(Map<String, String> fields) throws IOException {
    if (!"chunked".equals(fields.get("Transfer-Encoding"))) {
      return exactly(Integer.parseInt(fields.getOrDefault("Content-Length", "0")));
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] chunk = chunk(); chunk.length > 0; chunk = chunk()) {
      out.write(chunk);
    }
    return out.toByteArray();
  }

  /** The next chunk of a stream; empty: its end. */
  byte[] chunk() throws IOException {
    byte[] chunk = exactly(Integer.parseInt(line(), 16));
    line();
    return chunk;
  }

  /** Reads the header fields of a stream. */
  String head() throws IOException {
    StringBuilder head = new StringBuilder();
    for (String line = line(); !line.isEmpty(); line = line()) {
      head.append(line).append('\n');
    }
    return head.toString();
  }

  private byte[] exactly(int count) throws IOException {
    byte[] bytes = in.readNBytes(count);
    if (bytes.length < count) {
      throw new EOFException("after " + bytes.length + " of " + count + " bytes");
    }
    return bytes;
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("after \"" + line + "\"");
      }
      if (c != '\r') {
        line.write(c);
      }
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  /** Waits until the server closes the connection; false if it sends data instead. */
  boolean isClosed() throws IOException {
    try {
      return in.read() < 0;
    } catch (SocketException e) {
      return true;
    }
  }

  RawHttp1Client timeout(int millis) throws IOException {
    socket.setSoTimeout(millis);
    return this;
  }

  RawHttp1Client half() throws IOException {
    socket.shutdownOutput();
    return this;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  record Response(int status, Map<String, String> fields, byte[] body) {
    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }

    String field(String name) {
      return fields.getOrDefault(name, "");
    }
  }
}

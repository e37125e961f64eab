package dev.millrace.http.webhook;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** A webhook receiver on a real socket, whose behavior a test chooses. */
final class FakeWebhookReceiver implements AutoCloseable {

  /** A received request. */
  record Request(String line, Map<String, String> fields, byte[] body) {
    JsonObject json() {
      return Json.object(new String(body, StandardCharsets.UTF_8));
    }

    String id() {
      return fields.getOrDefault("millrace-event-id", "");
    }
  }

  /** How the receiver responds to a request. */
  @FunctionalInterface
  interface Behavior {
    void respond(Request request, OutputStream out) throws IOException, InterruptedException;
  }

  final List<Request> requests = new CopyOnWriteArrayList<>();
  private final ServerSocket server;
  private volatile Behavior behavior;

  FakeWebhookReceiver(Behavior behavior) throws IOException {
    this(new ServerSocket(0, 1000, InetAddress.getLoopbackAddress()), behavior);
  }

  FakeWebhookReceiver(ServerSocket server, Behavior behavior) {
    this.server = server;
    this.behavior = behavior;
    Thread.ofVirtual().start(this::accept);
  }

  static Behavior status(int status) {
    return statuses(_ -> status);
  }

  static Behavior statuses(Function<Request, Integer> status) {
    return (request, out) ->
        out.write(
            ("HTTP/1.1 " + status.apply(request) + " X\r\nContent-Length: 2\r\n\r\nok")
                .getBytes(StandardCharsets.US_ASCII));
  }

  /** Sends bytes and closes the connection. */
  static Behavior bytes(String text) {
    return (_, out) -> out.write(text.getBytes(StandardCharsets.US_ASCII));
  }

  static Behavior hangs() {
    return (_, _) -> Thread.sleep(600_000);
  }

  void behave(Behavior other) {
    behavior = other;
  }

  int port() {
    return server.getLocalPort();
  }

  String url() {
    return "http://127.0.0.1:" + port() + "/events?key=1";
  }

  List<String> types() {
    return requests.stream().map(request -> request.json().string("type")).toList();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // closed
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      Request request = read(socket.getInputStream());
      requests.add(request);
      behavior.respond(request, socket.getOutputStream());
    } catch (IOException | InterruptedException e) {
      // the sender disconnected
    }
  }

  private static Request read(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
      int c = in.read();
      if (c < 0) {
        throw new IOException("no request");
      }
      head.write(c);
    }
    String[] lines = head.toString(StandardCharsets.ISO_8859_1).split("\r\n");
    Map<String, String> fields = new TreeMap<>();
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(": ");
      fields.put(
          lines[i].substring(0, colon).toLowerCase(Locale.ROOT), lines[i].substring(colon + 2));
    }
    byte[] body = in.readNBytes(Integer.parseInt(fields.getOrDefault("content-length", "0")));
    return new Request(lines[0], fields, body);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}

package dev.millrace.http.tracing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A collector that parses the spans it receives, as far as tests need them. */
final class OtlpCollector implements AutoCloseable {

  /** A span, with the field numbers of opentelemetry/proto/trace/v1/trace.proto. */
  record Seen(String trace, String span, String parent, String name, long kind, int links) {}

  private record Field(int number, long value, ByteBuffer bytes) {}

  final List<Seen> spans = new CopyOnWriteArrayList<>();
  final List<String> paths = new CopyOnWriteArrayList<>();
  private final HttpServer server;

  OtlpCollector() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::take);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      paths.add(
          exchange.getRequestURI() + " " + exchange.getRequestHeaders().getFirst("Content-Type"));
      read(ByteBuffer.wrap(exchange.getRequestBody().readAllBytes()));
      exchange.sendResponseHeaders(200, -1);
    }
  }

  /** A request has resources (1), which have scopes (2), which have spans (2). */
  private void read(ByteBuffer request) {
    for (Field resource : fields(request)) {
      for (Field scope : fields(resource.bytes())) {
        if (scope.number() == 2) {
          fields(scope.bytes()).stream()
              .filter(field -> field.number() == 2)
              .forEach(field -> spans.add(span(field.bytes())));
        }
      }
    }
  }

  private static Seen span(ByteBuffer bytes) {
    String[] texts = {"", "", "", ""};
    long kind = 0;
    int links = 0;
    for (Field field : fields(bytes)) {
      switch (field.number()) {
        case 1 -> texts[0] = hex(field.bytes());
        case 2 -> texts[1] = hex(field.bytes());
        case 4 -> texts[2] = hex(field.bytes());
        case 5 -> texts[3] = StandardCharsets.UTF_8.decode(field.bytes()).toString();
        case 6 -> kind = field.value();
        case 13 -> links++;
        default -> {}
      }
    }
    return new Seen(texts[0], texts[1], texts[2], texts[3], kind, links);
  }

  private static List<Field> fields(ByteBuffer from) {
    List<Field> fields = new ArrayList<>();
    while (from.hasRemaining()) {
      int tag = (int) varint(from);
      switch (tag & 7) {
        case 0 -> fields.add(new Field(tag >>> 3, varint(from), ByteBuffer.allocate(0)));
        case 1 -> fields.add(new Field(tag >>> 3, from.getLong(), ByteBuffer.allocate(0)));
        case 5 -> fields.add(new Field(tag >>> 3, from.getInt(), ByteBuffer.allocate(0)));
        default -> {
          int length = (int) varint(from);
          fields.add(new Field(tag >>> 3, 0, from.slice(from.position(), length)));
          from.position(from.position() + length);
        }
      }
    }
    return fields;
  }

  private static long varint(ByteBuffer from) {
    long value = 0;
    for (int shift = 0; ; shift += 7) {
      byte next = from.get();
      value |= (long) (next & 0x7F) << shift;
      if (next >= 0) {
        return value;
      }
    }
  }

  private static String hex(ByteBuffer bytes) {
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    return HexFormat.of().formatHex(copy);
  }

  Seen named(String name) {
    return spans.stream().filter(span -> span.name().equals(name)).findFirst().orElseThrow();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

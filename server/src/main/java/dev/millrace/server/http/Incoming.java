package dev.millrace.server.http;

import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.ServerRequest;
import java.io.InputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request as it came. */
final class Incoming {
  private static final HeaderName EXPECT = HeaderNames.create("Expect");

  private final ServerRequest request;
  private @Nullable InputStream body;

  Incoming(ServerRequest request) {
    this.request = request;
  }

  String method() {
    return request.prologue().method().text();
  }

  /** As the client wrote it: nothing decoded, nothing made shorter. */
  String path() {
    return request.prologue().uriPath().rawPath();
  }

  String query() {
    return request.prologue().hasQuery() ? request.prologue().query().rawValue() : "";
  }

  /** Path and query. */
  String target() {
    String query = query();
    return query.isEmpty() ? path() : path() + "?" + query;
  }

  Optional<String> header(String name) {
    List<String> values = headers(name);
    return values.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", values));
  }

  List<String> headers(String name) {
    return request.headers().all(HeaderNames.create(name), List::of);
  }

  /** The host that the client thinks it talks to, with its port if it said one. */
  String authority() {
    String authority = request.authority();
    return authority == null ? "" : authority;
  }

  @Nullable String remote() {
    return address() instanceof InetAddress address ? address.getHostAddress() : null;
  }

  /** Whose requests count together: an address, or the network of one that owns a whole network. */
  String neighbourhood() {
    InetAddress address = address();
    if (address instanceof Inet6Address six) {
      return HexFormat.of().formatHex(six.getAddress(), 0, 8);
    }
    return address == null ? "?" : address.getHostAddress();
  }

  private @Nullable InetAddress address() {
    return request.remotePeer().address() instanceof InetSocketAddress socket
        ? socket.getAddress()
        : null;
  }

  boolean hasBody() {
    return request.content().hasEntity();
  }

  /** What {@code Content-Length} says; -1 if it says nothing. */
  long length() {
    return request.headers().contentLength().orElse(-1);
  }

  /** The same each time; the first call tells a client that waits for it to send. */
  InputStream body() {
    if (body == null) {
      body = request.content().inputStream();
    }
    return body;
  }

  boolean isRead() {
    return !hasBody() || request.content().consumed();
  }

  /** Whether the client sends its body only after we have said that it may. */
  boolean waitsForContinue() {
    return request.headers().contains(EXPECT) && !request.continueSent();
  }

  /** Whether the client wants no more than this answer. */
  boolean isLast() {
    return isHttp1()
        && header("Connection").orElse("").toLowerCase(Locale.ROOT).matches("(.*,)?\\s*close\\s*(,.*)?");
  }

  boolean isHttp1() {
    return request.prologue().protocolVersion().startsWith("1");
  }
}

package dev.millrace.http.transport;

import dev.millrace.http.route.Problem;
import dev.millrace.http.route.RequestPath;
import io.helidon.http.Header;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request as it came. */
public final class IncomingRequest {
  private static final HeaderName EXPECT = HeaderNames.create("Expect");

  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  private final ServerRequest request;
  private final String path;
  private final boolean oversized;
  private @Nullable InputStream body;

  /**
   * @param maxHeaders bytes that the header fields may have
   */
  public IncomingRequest(ServerRequest request, int maxHeaders) {
    this.request = request;
    this.path = RequestPath.ofTarget(request.prologue().uriPath().rawPath());
    this.oversized = !isHttp1() && headerBytes() > maxHeaders;
  }

  /** Unpacked: over HTTP/2 a few bytes can stand for many. */
  private long headerBytes() {
    long bytes = path.length() + query().length();
    for (Header header : request.headers()) {
      for (String value : header.allValues()) {
        bytes += header.name().length() + value.length() + 4; // as a line of HTTP/1
      }
    }
    return bytes;
  }

  /** Over HTTP/2 nobody else looks. Too many header fields count as none. */
  public void requireValid() {
    if (oversized) {
      throw new Problem(
          Problem.Kind.HEADERS_TOO_LARGE, "the request's path or header fields are too long");
    }
    if (!isHttp1() && !RequestLine.isTarget(target())) {
      throw new Problem(Problem.Kind.MALFORMED, RequestLine.WRONG_TARGET);
    }
  }

  public String method() {
    return request.prologue().method().text();
  }

  /** Whether it asks to see something and to change nothing. */
  public boolean isSafe() {
    return SAFE.contains(method());
  }

  /** As the client wrote it: nothing decoded, nothing made shorter. */
  public String path() {
    return path;
  }

  public String query() {
    return request.prologue().hasQuery() ? request.prologue().query().rawValue() : "";
  }

  /** Path and query. */
  public String target() {
    String query = query();
    return query.isEmpty() ? path() : path() + "?" + query;
  }

  public Optional<String> header(String name) {
    List<String> values = headers(name);
    return values.isEmpty() ? Optional.empty() : Optional.of(String.join(", ", values));
  }

  public List<String> headers(String name) {
    return oversized ? List.of() : request.headers().all(HeaderNames.create(name), List::of);
  }

  /** The host that the client thinks it talks to, with its port if it said one. */
  public String authority() {
    String authority = request.authority();
    return RequestPath.authority(request.prologue().uriPath().rawPath())
        .orElse(authority == null ? "" : authority);
  }

  public @Nullable String remoteAddress() {
    return address() instanceof InetAddress address ? address.getHostAddress() : null;
  }

  /** Whose requests count together: an address, or the network of one that owns a whole network. */
  public String rateLimitAddress() {
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

  public boolean hasBody() {
    return request.content().hasEntity();
  }

  /** What {@code Content-Length} says; -1 if it says nothing. */
  public long contentLength() {
    return request.headers().contentLength().orElse(-1);
  }

  /** The same each time; the first call tells a client that waits for it to send. */
  public InputStream body() {
    if (body == null) {
      body = request.content().inputStream();
    }
    return body;
  }

  public boolean isBodyRead() {
    return !hasBody() || request.content().consumed();
  }

  /** Whether the client sends its body only after we have said that it may. */
  public boolean waitsForContinue() {
    return request.headers().contains(EXPECT) && !request.continueSent();
  }

  /** Whether the client wants no more than this answer. */
  public boolean wantsClose() {
    return isHttp1()
        && header("Connection")
            .orElse("")
            .toLowerCase(Locale.ROOT)
            .matches("(.*,)?\\s*close\\s*(,.*)?");
  }

  /** The number of a request's stream in HTTP/2. */
  public int streamId() {
    return request.id();
  }

  public boolean isHttp1() {
    return request.prologue().protocolVersion().startsWith("1");
  }
}

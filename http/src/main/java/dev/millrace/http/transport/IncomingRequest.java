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

/** A request as the client sent it. */
public final class IncomingRequest {
  private static final HeaderName EXPECT = HeaderNames.create("Expect");

  private static final Set<String> SAFE = Set.of("GET", "HEAD", "OPTIONS");

  private final ServerRequest request;
  private final String path;
  private final boolean oversized;
  private @Nullable InputStream body;

  /**
   * @param maxHeaders the most bytes of all header fields
   */
  public IncomingRequest(ServerRequest request, int maxHeaders) {
    this.request = request;
    this.path = RequestPath.ofTarget(request.prologue().uriPath().rawPath());
    this.oversized = !isHttp1() && headerBytes() > maxHeaders;
  }

  /** The size after decompression: with HTTP/2 a few bytes can stand for many. */
  private long headerBytes() {
    long bytes = path.length() + query().length();
    for (Header header : request.headers()) {
      for (String value : header.allValues()) {
        bytes += header.name().length() + value.length() + 4; // the size of a line in HTTP/1
      }
    }
    return bytes;
  }

  /**
   * Checks HTTP/2 requests; HTTP/1 is checked while it is read. Oversized header fields are
   * dropped.
   */
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

  /** Whether the method only reads (RFC 9110, 9.2.1). */
  public boolean isSafe() {
    return SAFE.contains(method());
  }

  /** As the client wrote it, neither decoded nor normalized. */
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

  /** The host that the client addressed, with the port if it sent one. */
  public String authority() {
    String authority = request.authority();
    return RequestPath.authority(request.prologue().uriPath().rawPath())
        .orElse(authority == null ? "" : authority);
  }

  public @Nullable String remoteAddress() {
    return address() instanceof InetAddress address ? address.getHostAddress() : null;
  }

  /** The key for rate limits: the IPv4 address, or the /64 network of an IPv6 address. */
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

  /** The {@code Content-Length}; -1 if there is none. */
  public long contentLength() {
    return request.headers().contentLength().orElse(-1);
  }

  /** The same stream each time; the first call sends "100 Continue" if the client waits for it. */
  public InputStream body() {
    if (body == null) {
      body = request.content().inputStream();
    }
    return body;
  }

  public boolean isBodyRead() {
    return !hasBody() || request.content().consumed();
  }

  /** Whether the client waits for "100 Continue" before it sends its body. */
  public boolean waitsForContinue() {
    return request.headers().contains(EXPECT) && !request.continueSent();
  }

  /** Whether the client asks to close the connection after this response. */
  public boolean wantsClose() {
    return isHttp1()
        && header("Connection")
            .orElse("")
            .toLowerCase(Locale.ROOT)
            .matches("(.*,)?\\s*close\\s*(,.*)?");
  }

  /** The HTTP/2 stream of the request. */
  public int streamId() {
    return request.id();
  }

  public boolean isHttp1() {
    return request.prologue().protocolVersion().startsWith("1");
  }
}

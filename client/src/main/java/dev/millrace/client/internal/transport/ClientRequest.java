package dev.millrace.client.internal.transport;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A request and its builder; used by one thread. */
public final class ClientRequest {
  private final String method;
  private final String template;
  private final StringBuilder path = new StringBuilder();
  private final StringBuilder query = new StringBuilder();
  private final Map<String, String> headers = new LinkedHashMap<>();
  private @Nullable Object body;
  private boolean hasBody;
  private boolean repeatable;
  private Duration extra = Duration.ZERO;
  private @Nullable Duration timeout;

  /**
   * @param template the path with {@code {}} where {@code parts} go
   */
  private ClientRequest(String method, String template, Object... parts) {
    this.method = method;
    this.template = template;
    this.repeatable = method.equals("GET") || method.equals("PUT") || method.equals("DELETE");
    int from = 0;
    for (Object part : parts) {
      int hole = template.indexOf("{}", from);
      path.append(template, from, hole).append(encode(part.toString()));
      from = hole + 2;
    }
    path.append(template, from, template.length());
  }

  public static ClientRequest get(String template, Object... parts) {
    return new ClientRequest("GET", template, parts);
  }

  public static ClientRequest put(String template, Object... parts) {
    return new ClientRequest("PUT", template, parts);
  }

  public static ClientRequest post(String template, Object... parts) {
    return new ClientRequest("POST", template, parts);
  }

  public static ClientRequest patch(String template, Object... parts) {
    return new ClientRequest("PATCH", template, parts);
  }

  public static ClientRequest delete(String template, Object... parts) {
    return new ClientRequest("DELETE", template, parts);
  }

  /** Adds a query parameter, unless {@code value} is null. */
  public ClientRequest query(String name, @Nullable Object value) {
    if (value != null) {
      query.append(query.isEmpty() ? '?' : '&').append(name).append('=');
      query.append(encode(value.toString()));
    }
    return this;
  }

  public ClientRequest header(String name, @Nullable String value) {
    if (value != null) {
      headers.put(name, value);
    }
    return this;
  }

  public ClientRequest body(@Nullable Object json) {
    body = json;
    hasBody = true;
    return this;
  }

  /** Marks the request as safe to retry: doing it twice is like doing it once. */
  public ClientRequest repeatable() {
    repeatable = true;
    return this;
  }

  /** Marks the request as not to be retried once it was sent. */
  public ClientRequest notRepeatable() {
    repeatable = false;
    return this;
  }

  /** Sets the idempotency key, which makes a request that creates something safe to retry. */
  public ClientRequest idempotencyKey(@Nullable String key) {
    header("Idempotency-Key", key == null ? UUID.randomUUID().toString() : key);
    return repeatable();
  }

  /** Adds to the timeout, for a server that waits before it answers. */
  public ClientRequest extraTime(Duration more) {
    extra = more;
    return this;
  }

  /** Replaces the timeout of the client. */
  public ClientRequest timeoutPerTry(Duration limit) {
    timeout = limit;
    return this;
  }

  Duration timeout(Duration usual) {
    return (timeout == null ? usual : timeout).plus(extra);
  }

  public String method() {
    return method;
  }

  /** The path with {@code {}} for each id, for metrics. */
  public String template() {
    return template;
  }

  String target() {
    return path.toString() + query;
  }

  Map<String, String> headers() {
    return headers;
  }

  @Nullable Object body() {
    return body;
  }

  boolean hasBody() {
    return hasBody;
  }

  boolean isRepeatable() {
    return repeatable;
  }

  /** For messages: without the query, which may have names of users. */
  @Override
  public String toString() {
    return method + " " + path;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

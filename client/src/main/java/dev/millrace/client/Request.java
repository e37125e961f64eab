package dev.millrace.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A request as it is put together; used by one thread. */
final class Request {
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
  private Request(String method, String template, Object... parts) {
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

  static Request get(String template, Object... parts) {
    return new Request("GET", template, parts);
  }

  static Request put(String template, Object... parts) {
    return new Request("PUT", template, parts);
  }

  static Request post(String template, Object... parts) {
    return new Request("POST", template, parts);
  }

  static Request patch(String template, Object... parts) {
    return new Request("PATCH", template, parts);
  }

  static Request delete(String template, Object... parts) {
    return new Request("DELETE", template, parts);
  }

  /** Left out where there is no value. */
  Request query(String name, @Nullable Object value) {
    if (value != null) {
      query.append(query.isEmpty() ? '?' : '&').append(name).append('=');
      query.append(encode(value.toString()));
    }
    return this;
  }

  Request header(String name, @Nullable String value) {
    if (value != null) {
      headers.put(name, value);
    }
    return this;
  }

  Request body(@Nullable Object json) {
    body = json;
    hasBody = true;
    return this;
  }

  /** Says that doing it twice does what doing it once does. */
  Request repeatable() {
    repeatable = true;
    return this;
  }

  /** Says that whatever comes of the first try is wanted as it is. */
  Request notRepeated() {
    repeatable = false;
    return this;
  }

  /** A creation that the server does once for each key; so it can be repeated. */
  Request once(@Nullable String key) {
    header("Idempotency-Key", key == null ? UUID.randomUUID().toString() : key);
    return repeatable();
  }

  /** The server may take this much longer than usual. */
  Request patience(Duration more) {
    extra = more;
    return this;
  }

  /** Another limit for each try than the client's own. */
  Request within(Duration limit) {
    timeout = limit;
    return this;
  }

  Duration timeout(Duration usual) {
    return (timeout == null ? usual : timeout).plus(extra);
  }

  String method() {
    return method;
  }

  /** Without what differs from call to call, for metrics. */
  String template() {
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

  /** For messages: no query, which may hold names. */
  @Override
  public String toString() {
    return method + " " + path;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}

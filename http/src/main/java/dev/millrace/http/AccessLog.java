package dev.millrace.http;

import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.http.auth.Principal;
import dev.millrace.http.route.CompletedRequest;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Writes one line of JSON for each request. Text from a client can neither start a new line nor
 * contain control codes of a terminal. What may be a secret is redacted.
 */
final class AccessLog {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int MAX_TEXT = 2048;
  private static final String REDACTED = SecretRedactor.REDACTED;

  /** Query parameters whose values are secret, whatever they look like. */
  private static final Pattern SECRET_NAME =
      Pattern.compile("(?i).*(key|token|secret|passw|auth|signature|credential|session).*");

  /** Long strings, which may be secrets in a URL, but not UUIDs. */
  private static final Pattern LONG_VALUE =
      Pattern.compile("(?i)(?![\\da-f-]{36}(?![\\w-]))[\\w+-]{40,}+={0,2}");

  private final @Nullable Consumer<String> sink;
  private final Clock clock;

  AccessLog(@Nullable Consumer<String> sink, Clock clock) {
    this.sink = sink;
    this.clock = clock;
  }

  /**
   * A completed request.
   *
   * @param error the error code of the response; null if it succeeded
   */
  record Line(
      Request request, Caller caller, CompletedRequest.Response response, @Nullable String error) {}

  /**
   * @param target path and query as the client wrote them
   */
  record Request(String id, @Nullable String clientId, String method, String target) {}

  record Caller(@Nullable String userId, @Nullable String remote, @Nullable String traceId) {
    static final Caller UNKNOWN = new Caller(null, null, null);
  }

  void write(Line line) {
    if (sink == null) {
      return;
    }
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    JsonObject json =
        JsonObject.create()
            .put("timestamp", now.toString())
            .put("requestId", line.request().id())
            .putIfPresent("clientRequestId", line.request().clientId())
            .put("method", plain(line.request().method()))
            .put("path", redact(line.request().target()))
            .put("status", line.response().status())
            .put("duration_ms", Math.round(line.response().nanos() / 1e4) / 100.0)
            .putIfPresent("userId", line.caller().userId())
            .putIfPresent("orgId", line.caller().userId() == null ? null : Principal.ORGANISATION)
            .putIfPresent("remote", line.caller().remote())
            .put("bytes", line.response().bytes())
            .putIfPresent("traceId", line.caller().traceId())
            .putIfPresent("error", line.error());
    try {
      sink.accept(Json.write(json));
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "cannot write the access log", e);
    }
  }

  /** The path and query without possible secrets, in printable ASCII. */
  static String redact(String target) {
    String text = target.length() > MAX_TEXT ? target.substring(0, MAX_TEXT) + "..." : target;
    int query = text.indexOf('?');
    String path = query < 0 ? text : text.substring(0, query);
    StringBuilder out = new StringBuilder(redactValue(path));
    if (query >= 0) {
      String between = "?";
      for (String pair : text.substring(query + 1).split("&", -1)) {
        out.append(between).append(redactPair(pair));
        between = "&";
      }
    }
    return plain(out.toString());
  }

  private static String redactPair(String pair) {
    int equals = pair.indexOf('=');
    if (equals > 0 && SECRET_NAME.matcher(pair.substring(0, equals)).matches()) {
      return pair.substring(0, equals + 1) + REDACTED;
    }
    return redactValue(pair);
  }

  private static String redactValue(String text) {
    return LONG_VALUE.matcher(SecretRedactor.redact(text)).replaceAll(REDACTED);
  }

  private static String plain(String text) {
    StringBuilder out = new StringBuilder(text.length());
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      out.append(c > ' ' && c < 127 ? c : '?');
    }
    return out.toString();
  }
}

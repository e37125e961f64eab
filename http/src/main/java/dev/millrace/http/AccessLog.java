package dev.millrace.http;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One line of JSON for each request. What a client wrote can neither start a new line nor hold a
 * terminal's control codes, and what may be a secret is left out.
 */
final class AccessLog {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final int MAX_TEXT = 2048;
  private static final String REDACTED = "[redacted]";

  /** Names of query values that are secrets, whatever they look like. */
  private static final Pattern SECRET_NAME =
      Pattern.compile("(?i).*(key|token|secret|passw|auth|signature|credential|session).*");

  /** Our keys, keys of others, JSON web tokens, and long strings that could be either. */
  private static final Pattern SECRET_VALUE =
      Pattern.compile(
          "(?i)mr_[\\w-]{16,}|sk-[\\w-]{8,}|bearer[\\s+%]+\\S+|eyJ[\\w-]+\\.[\\w.-]+"
              + "|(?![\\da-f-]{36}(?![\\w-]))[\\w+-]{40,}={0,2}");

  private final @Nullable Consumer<String> sink;
  private final Clock clock;

  AccessLog(@Nullable Consumer<String> sink, Clock clock) {
    this.sink = sink;
    this.clock = clock;
  }

  /**
   * A request that has its answer.
   *
   * @param target path and query as the client wrote them
   * @param error the code of a problem
   */
  record Line(
      String requestId,
      @Nullable String clientRequestId,
      String method,
      String target,
      int status,
      long nanos,
      @Nullable String userId,
      @Nullable String remote,
      long bytes,
      @Nullable String traceId,
      @Nullable String error) {}

  void write(Line line) {
    if (sink == null) {
      return;
    }
    Instant now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
    JsonObject json =
        JsonObject.create()
            .put("timestamp", now.toString())
            .put("requestId", line.requestId())
            .putIfPresent("clientRequestId", line.clientRequestId())
            .put("method", plain(line.method()))
            .put("path", redact(line.target()))
            .put("status", line.status())
            .put("duration_ms", Math.round(line.nanos() / 1e4) / 100.0)
            .putIfPresent("userId", line.userId())
            .putIfPresent("remote", line.remote())
            .put("bytes", line.bytes())
            .putIfPresent("traceId", line.traceId())
            .putIfPresent("error", line.error());
    try {
      sink.accept(Json.write(json));
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "cannot write the access log", e);
    }
  }

  /** The path and query without what may be secret, and with nothing but visible characters. */
  static String redact(String target) {
    String text = target.length() > MAX_TEXT ? target.substring(0, MAX_TEXT) + "..." : target;
    int query = text.indexOf('?');
    String path = query < 0 ? text : text.substring(0, query);
    StringBuilder out = new StringBuilder(SECRET_VALUE.matcher(path).replaceAll(REDACTED));
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
    return SECRET_VALUE.matcher(pair).replaceAll(REDACTED);
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

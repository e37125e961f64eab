package dev.millrace.http.route;

import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Why a request is refused: what is wrong, which rule, what to do. The route group decides how it
 * is written in the response.
 */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** The kind of problem, which determines the HTTP status. */
  public enum Kind {
    /** Not JSON, or not of the form that the OpenAPI document allows. */
    MALFORMED(400),
    /** Well-formed, but a value breaks a rule. */
    INVALID(400),
    UNAUTHORIZED(401),
    FORBIDDEN(403),
    NOT_FOUND(404),
    METHOD_NOT_ALLOWED(405),
    /** It did not arrive completely in time. */
    REQUEST_TIMEOUT(408),
    CONFLICT(409),
    TOO_LARGE(413),
    UNSUPPORTED_MEDIA_TYPE(415),
    TOO_MANY_REQUESTS(429),
    HEADERS_TOO_LARGE(431),
    INTERNAL(500),
    UNAVAILABLE(503),
    /** There is no space for what it brings. */
    INSUFFICIENT_STORAGE(507);

    private final int status;

    Kind(int status) {
      this.status = status;
    }

    public int status() {
      return status;
    }
  }

  /** What is wrong with a field of a request. */
  public enum Flaw {
    /** There is no such field. */
    UNKNOWN,
    /** A field is required and not there. */
    MISSING,
    /** The value has the wrong type or form. */
    TYPE,
    /** The value is not allowed. */
    VALUE
  }

  /**
   * The field of a request that is wrong, for route groups that name it apart.
   *
   * @param path such as {@code messages[0].role}; empty: the whole body
   * @param rule which rule it breaks, to be read after the path
   */
  public record Field(String path, String rule, Flaw flaw) {}

  private final Kind kind;
  private final @Nullable String code;
  private final transient @Nullable JsonObject details;
  private final transient Map<String, String> headers;
  private final transient @Nullable Field field;

  /**
   * @param code the route group's own error code; null: its code for {@code kind}
   */
  public Problem(
      Kind kind,
      @Nullable String code,
      String message,
      @Nullable JsonObject details,
      Map<String, String> headers) {
    this(kind, code, message, details, headers, null);
  }

  private Problem(
      Kind kind,
      @Nullable String code,
      String message,
      @Nullable JsonObject details,
      Map<String, String> headers,
      @Nullable Field field) {
    // a response, not a failure: no stack trace
    super(SecretRedactor.redact(message), null, false, false);
    this.kind = kind;
    this.code = code;
    this.details = details;
    this.headers = Map.copyOf(headers);
    this.field = field;
  }

  /** The same problem, with the field that is wrong. */
  public Problem withField(Field wrong) {
    return new Problem(kind, code, text(), details, headers, wrong);
  }

  public Problem(Kind kind, @Nullable String code, String message) {
    this(kind, code, message, null, Map.of());
  }

  public Problem(Kind kind, String message) {
    this(kind, null, message);
  }

  public Kind kind() {
    return kind;
  }

  public @Nullable String code() {
    return code;
  }

  public String text() {
    return String.valueOf(getMessage());
  }

  public @Nullable JsonObject details() {
    return details;
  }

  /** The field of the request that is wrong; null if it is not known. */
  public @Nullable Field field() {
    return field;
  }

  /** Header fields of the response, such as {@code Retry-After}. */
  public Map<String, String> headers() {
    return headers;
  }
}

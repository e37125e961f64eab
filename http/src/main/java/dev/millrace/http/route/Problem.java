package dev.millrace.http.route;

import dev.millrace.core.json.JsonObject;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that is not granted: what is wrong, which rule, what to do. Its face decides how it looks.
 */
public final class Problem extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What sort of problem, and so its status. */
  public enum Kind {
    /** Not even JSON, or not what the document allows. */
    MALFORMED(400),
    /** Well-formed, but a value breaks a rule. */
    INVALID(400),
    UNAUTHORIZED(401),
    FORBIDDEN(403),
    NOT_FOUND(404),
    METHOD_NOT_ALLOWED(405),
    /** It did not come to its end in time. */
    REQUEST_TIMEOUT(408),
    CONFLICT(409),
    TOO_LARGE(413),
    UNSUPPORTED_MEDIA_TYPE(415),
    TOO_MANY_REQUESTS(429),
    HEADERS_TOO_LARGE(431),
    INTERNAL(500),
    UNAVAILABLE(503);

    private final int status;

    Kind(int status) {
      this.status = status;
    }

    public int status() {
      return status;
    }
  }

  private final Kind kind;
  private final @Nullable String code;
  private final transient @Nullable JsonObject details;
  private final transient Map<String, String> headers;

  /**
   * @param code the face's own word for it; null: the face's word for {@code kind}
   */
  public Problem(
      Kind kind,
      @Nullable String code,
      String message,
      @Nullable JsonObject details,
      Map<String, String> headers) {
    super(message, null, false, false); // it is an answer, not a fault
    this.kind = kind;
    this.code = code;
    this.details = details;
    this.headers = Map.copyOf(headers);
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

  /** Such as {@code Retry-After}. */
  public Map<String, String> headers() {
    return headers;
  }
}

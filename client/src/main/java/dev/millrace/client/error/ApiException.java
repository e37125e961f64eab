package dev.millrace.client.error;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The server answered, but with an error. */
public final class ApiException extends ClientException {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;
  private final String text;
  private final @Nullable String requestId;
  private final @Nullable Duration retryAfter;

  public ApiException(
      int status,
      String code,
      String text,
      @Nullable String requestId,
      @Nullable Duration retryAfter) {
    super(
        status
            + " "
            + code
            + ": "
            + text
            + (requestId == null ? "" : " (request " + requestId + ")"),
        null);
    this.status = status;
    this.code = code;
    this.text = text;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }

  public int status() {
    return status;
  }

  @Override
  public String code() {
    return code;
  }

  /** The server's own words. */
  public String text() {
    return text;
  }

  /** By which the server's log knows the request. */
  public @Nullable String requestId() {
    return requestId;
  }

  /** How long the server asks to wait before another try. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /** Whether nothing of that name is there. */
  public boolean isNotFound() {
    return status == 404;
  }

  /** Whether it would be a move from one status to another that there is not. */
  public boolean isIllegalTransition() {
    return status == 400 && code.startsWith("ILLEGAL_");
  }

  /** Whether the state of things does not allow it (any more). */
  public boolean isConflict() {
    return status == 409;
  }
}

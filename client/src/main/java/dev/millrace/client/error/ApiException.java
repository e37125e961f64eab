package dev.millrace.client.error;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The server answered with an error status. */
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

  /** The same error, with what to do about it in its text. */
  public ApiException withAdvice(String advice) {
    return new ApiException(status, code, text + "; " + advice, requestId, retryAfter);
  }

  public int status() {
    return status;
  }

  @Override
  public String code() {
    return code;
  }

  /** The message of the server. */
  public String text() {
    return text;
  }

  /** The id of the request in the log of the server. */
  public @Nullable String requestId() {
    return requestId;
  }

  /** How long the server asks to wait before a retry. */
  public @Nullable Duration retryAfter() {
    return retryAfter;
  }

  /** Whether the job, stage or task does not exist. */
  public boolean isNotFound() {
    return status == 404;
  }

  /** Whether the requested change of status is not allowed from the current status. */
  public boolean isIllegalTransition() {
    return status == 400 && code.startsWith("ILLEGAL_");
  }

  /** Whether the request conflicts with the current state, such as a lost claim. */
  public boolean isConflict() {
    return status == 409;
  }
}

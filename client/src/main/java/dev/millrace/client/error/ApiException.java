package dev.millrace.client.error;

import dev.millrace.client.internal.transport.ClientResponse;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The server answered, but with an error. */
public final class ApiException extends ClientException {
  private static final long serialVersionUID = 1L;

  /** The code of an answer that is not what the API promises. */
  public static final String UNREADABLE = "REQUEST_FAILED_ERROR";

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

  /** What an answer with an error status says, in either face's words or in none. */
  public static ApiException of(ClientResponse response) {
    String code = standard(response.status());
    String text = "the server answered with status " + response.status();
    try {
      JsonObject body = Json.object(response.text());
      JsonObject error = body.has("error") ? body.object("error") : body;
      code = String.valueOf(error.string("code", code));
      text = String.valueOf(error.string("message", text));
    } catch (JsonException e) {
      // A proxy's page, or nothing at all: the status has to do.
    }
    return new ApiException(
        response.status(), code, text, response.header("X-Request-Id"), response.retryAfter());
  }

  private static String standard(int status) {
    return switch (status) {
      case 502 -> "HTTP_BAD_GATEWAY";
      case 503 -> "HTTP_SERVICE_UNAVAILABLE";
      case 504 -> "HTTP_GATEWAY_TIMEOUT";
      default -> "HTTP_" + status;
    };
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

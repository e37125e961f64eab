package dev.millrace.client.internal.transport;

import dev.millrace.api.PageOf;
import dev.millrace.client.error.ApiException;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The complete answer to a request.
 *
 * @param repeated whether an earlier try may have been carried out, although no answer came
 */
public record ClientResponse(int status, HttpHeaders headers, String text, boolean repeated) {
  /** The error code of a response that does not match the API. */
  private static final String UNREADABLE = "REQUEST_FAILED_ERROR";

  public boolean ok() {
    return status >= 200 && status < 300;
  }

  public @Nullable String header(String name) {
    return headers.firstValue(name).orElse(null);
  }

  /** The seconds of {@code Retry-After}; null if the header is missing or has a date. */
  public @Nullable Duration retryAfter() {
    String value = header("Retry-After");
    return value != null && value.matches("\\d{1,9}")
        ? Duration.ofSeconds(Long.parseLong(value))
        : null;
  }

  public <T> T read(Function<JsonObject, T> reader) {
    return checked(() -> reader.apply(Json.object(text)));
  }

  /** The object in the field {@code name}. */
  public <T> T read(String name, Function<JsonObject, T> reader) {
    return read(body -> reader.apply(body.object(name)));
  }

  public <T> List<T> list(Function<JsonObject, T> reader) {
    return checked(
        () -> {
          if (!(Json.parse(text) instanceof List<?> values)) {
            throw new JsonException("the body must be a list");
          }
          List<T> out = new ArrayList<>();
          for (Object value : values) {
            out.add(reader.apply(JsonObject.of(value, "[" + out.size() + "]")));
          }
          return out;
        });
  }

  /** The list in the field {@code name}. */
  public <T> List<T> list(String name, Function<JsonObject, T> reader) {
    return read(body -> objects(body, name, reader));
  }

  private static <T> List<T> objects(JsonObject body, String name, Function<JsonObject, T> reader) {
    List<T> out = new ArrayList<>();
    for (Object value : body.list(name)) {
      out.add(reader.apply(JsonObject.of(value, name + "[" + out.size() + "]")));
    }
    return out;
  }

  /** A page of a list, with the cursor of the next page in a header. */
  public <T> PageOf<T> page(Function<JsonObject, T> reader) {
    return new PageOf<>(list(reader), header("X-Next-Cursor"));
  }

  /** A page in the field {@code name}, with the cursor of the next page in {@code nextCursor}. */
  public <T> PageOf<T> page(String name, Function<JsonObject, T> reader) {
    return read(
        body -> {
          Object next = body.get("nextCursor");
          return new PageOf<>(objects(body, name, reader), next == null ? null : next.toString());
        });
  }

  /**
   * The error that a response with an error status describes, in either API's format or in none.
   */
  public ApiException toException() {
    String code = defaultCode();
    String message = "the server answered with status " + status;
    try {
      JsonObject body = Json.object(text);
      JsonObject error = body.has("error") ? body.object("error") : body;
      code = String.valueOf(error.string("code", code));
      message = String.valueOf(error.string("message", message));
    } catch (JsonException e) {
      // The page of a proxy, or an empty body: only the status is known.
    }
    return new ApiException(status, code, message, header("X-Request-Id"), retryAfter());
  }

  private String defaultCode() {
    return switch (status) {
      case 502 -> "HTTP_BAD_GATEWAY";
      case 503 -> "HTTP_SERVICE_UNAVAILABLE";
      case 504 -> "HTTP_GATEWAY_TIMEOUT";
      default -> "HTTP_" + status;
    };
  }

  private <T> T checked(Supplier<T> read) {
    try {
      return read.get();
    } catch (JsonException | IllegalArgumentException | ArithmeticException e) {
      throw new ApiException(
          status,
          UNREADABLE,
          "the answer does not match the API: " + e.getMessage(),
          header("X-Request-Id"),
          null);
    }
  }
}

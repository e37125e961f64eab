package dev.millrace.core.json;

/** Text that is not JSON, or JSON of another shape than was asked for; the message says where. */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public JsonException(String message) {
    super(message);
  }
}

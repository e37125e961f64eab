package dev.millrace.core.json;

/** The text is not JSON, or not of the expected shape. The message says where. */
public final class JsonException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public JsonException(String message) {
    super(message);
  }
}

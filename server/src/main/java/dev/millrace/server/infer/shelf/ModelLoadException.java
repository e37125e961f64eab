package dev.millrace.server.infer.shelf;

/** A served model could not be loaded; a later attempt may succeed. */
public final class ModelLoadException extends RuntimeException {
  public ModelLoadException(String message) {
    super(message);
  }

  public ModelLoadException(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

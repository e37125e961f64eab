package dev.millrace.server.infer.shelf;

/** A model that is served could not be loaded; later it might. */
public final class LoadFailure extends RuntimeException {
  public LoadFailure(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

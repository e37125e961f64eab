package dev.millrace.server.infer;

/** A model that is served could not be loaded; later it might. */
final class LoadFailure extends RuntimeException {
  LoadFailure(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

package dev.millrace.server.infer;

/** A task that cannot be done as it was asked for, in words for the one who asked. */
final class Refusal extends RuntimeException {
  Refusal(String message) {
    super(message);
  }

  Refusal(String message, Throwable cause) {
    super(message, cause);
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

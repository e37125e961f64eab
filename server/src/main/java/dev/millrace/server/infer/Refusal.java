package dev.millrace.server.infer;

import java.util.Collection;

/** A task that cannot be done as it was asked for, in words for the one who asked. */
final class Refusal extends RuntimeException {
  Refusal(String message) {
    super(message);
  }

  Refusal(String message, Throwable cause) {
    super(message, cause);
  }

  /** Of a model that no task can get here. */
  static Refusal notServed(String model, Collection<String> served) {
    return new Refusal(
        "model \"%s\" is not served here; served: %s".formatted(model, String.join(", ", served)));
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

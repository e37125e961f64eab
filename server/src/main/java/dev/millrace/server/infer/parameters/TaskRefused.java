package dev.millrace.server.infer.parameters;

import java.util.Collection;

/** A task that cannot be done as it was asked for, in words for the one who asked. */
public final class TaskRefused extends RuntimeException {
  public TaskRefused(String message) {
    super(message);
  }

  public TaskRefused(String message, Throwable cause) {
    super(message, cause);
  }

  /** Of a model that no task can get here. */
  public static TaskRefused notServed(String model, Collection<String> served) {
    return new TaskRefused(
        "model \"%s\" is not served here; served: %s".formatted(model, String.join(", ", served)));
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

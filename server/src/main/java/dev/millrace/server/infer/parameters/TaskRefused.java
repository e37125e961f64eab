package dev.millrace.server.infer.parameters;

import java.util.Collection;

/** A task that can never run as asked; the message is for the user. */
public final class TaskRefused extends RuntimeException {
  public TaskRefused(String message) {
    super(message);
  }

  public TaskRefused(String message, Throwable cause) {
    super(message, cause);
  }

  /** A task names a model that this server does not have. */
  public static TaskRefused notServed(String model, Collection<String> served) {
    return new TaskRefused(
        "model \"%s\" is not served here; served: %s".formatted(model, String.join(", ", served)));
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

package dev.millrace.server.infer.parameters;

import java.util.Collection;
import java.util.List;

/** A task that can never run as asked; the message is for the user. */
public final class TaskRefused extends RuntimeException {
  public TaskRefused(String message) {
    super(message);
  }

  public TaskRefused(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * The served model that a task names, in full or by a part of its name that no other has.
   *
   * @throws TaskRefused if it names none, or several
   */
  public static String requireServed(String model, Collection<String> served) {
    List<String> matches = ModelNameMatcher.matches(served, model);
    if (matches.isEmpty()) {
      throw new TaskRefused(
          "model \"%s\" is not served here; served: %s"
              .formatted(model, String.join(", ", served)));
    }
    if (matches.size() > 1) {
      throw new TaskRefused(
          "model \"%s\" could be any of %s; name one of them in full"
              .formatted(model, String.join(", ", matches)));
    }
    return matches.getFirst();
  }

  @Override
  public String getMessage() {
    return String.valueOf(super.getMessage());
  }
}

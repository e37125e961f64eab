package dev.millrace.core.task;

import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed.
 *
 * @param message one line for a person
 * @param retryable whether another attempt could help; if not, remaining attempts are forfeited
 * @param partial what the attempt had produced, kept for the user but never published as a result
 */
public record Failure(String message, boolean retryable, @Nullable String partial) {
  public static Failure of(String message) {
    return new Failure(message, true, null);
  }

  public static Failure permanent(String message) {
    return new Failure(message, false, null);
  }
}

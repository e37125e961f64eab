package dev.millrace.core.task;

import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * Why an attempt failed.
 *
 * @param message one line for a person; secrets in it are redacted, because it is stored, logged,
 *     and sent to webhooks
 * @param retryable whether another attempt could help; if not, the remaining attempts are not used
 * @param partial what the attempt produced; kept for the user but never published as a result
 * @param receipt how the partial output was made; null if the worker gives none
 */
public record Failure(
    String message, boolean retryable, @Nullable String partial, @Nullable JsonObject receipt) {

  public Failure {
    message = SecretRedactor.redact(message);
  }

  public Failure(String message, boolean retryable, @Nullable String partial) {
    this(message, retryable, partial, null);
  }

  public static Failure of(String message) {
    return new Failure(message, true, null);
  }

  public static Failure permanent(String message) {
    return new Failure(message, false, null);
  }

  public Failure withPartial(@Nullable String output, @Nullable JsonObject given) {
    return new Failure(message, retryable, output, given);
  }
}

package dev.millrace.client.error;

import org.jspecify.annotations.Nullable;

/** A request failed: the server answered with an error, or no answer came. */
public abstract sealed class ClientException extends RuntimeException
    permits ApiException, NetworkException {
  private static final long serialVersionUID = 1L;

  ClientException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** A code for programs, such as {@code JOB_NOT_FOUND} or {@code NETWORK_TIMEOUT}. */
  public abstract String code();
}

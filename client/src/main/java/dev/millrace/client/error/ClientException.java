package dev.millrace.client.error;

import org.jspecify.annotations.Nullable;

/** A request that was not granted: the server said so, or was not reached. */
public abstract sealed class ClientException extends RuntimeException
    permits ApiException, NetworkException {
  private static final long serialVersionUID = 1L;

  ClientException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** A word for programs, such as {@code JOB_NOT_FOUND} or {@code NETWORK_TIMEOUT}. */
  public abstract String code();
}

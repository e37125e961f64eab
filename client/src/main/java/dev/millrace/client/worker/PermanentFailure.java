package dev.millrace.client.worker;

import org.jspecify.annotations.Nullable;

/** Thrown by a handler: the task cannot be done, now or later. */
public final class PermanentFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PermanentFailure(String message) {
    this(message, null);
  }

  public PermanentFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

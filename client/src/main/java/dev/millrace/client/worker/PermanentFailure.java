package dev.millrace.client.worker;

import org.jspecify.annotations.Nullable;

/** A handler throws this if no further attempt can succeed. */
public final class PermanentFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public PermanentFailure(String message) {
    this(message, null);
  }

  public PermanentFailure(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

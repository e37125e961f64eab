package dev.millrace.core.store;

import org.jspecify.annotations.Nullable;

/** One job cannot be read or written. The store and other jobs are not affected. */
public sealed class JobException extends StoreException {
  private static final long serialVersionUID = 1L;

  public JobException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** It cannot be read now, and is left alone until it may be readable again. */
  public static final class Unreadable extends JobException {
    private static final long serialVersionUID = 1L;

    public Unreadable(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }
}

package dev.millrace.core.store;

import org.jspecify.annotations.Nullable;

/** One job cannot be read or written. The store and other jobs are not affected. */
public final class JobException extends StoreException {
  private static final long serialVersionUID = 1L;

  public JobException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

package dev.millrace.core.store;

import org.jspecify.annotations.Nullable;

/** A store operation failed. The message says what failed, where, and what to do. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public StoreException(String message) {
    super(message);
  }

  public StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The store was closed before this call, or while it waited to begin: nothing was changed. */
  public static final class Closed extends StoreException {
    private static final long serialVersionUID = 1L;

    public Closed() {
      super("the store is closed");
    }
  }
}

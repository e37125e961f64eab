package dev.millrace.core.store;

/**
 * The store can no longer vouch for what it holds, e.g. after a failed sync; restart to recover.
 * Nothing that is asked of it will work from now on, so a caller stops instead of trying again.
 */
public final class StoreBrokenException extends StoreException {
  private static final long serialVersionUID = 1L;

  public StoreBrokenException(String message) {
    super(message);
  }

  public StoreBrokenException(String message, Throwable cause) {
    super(message, cause);
  }
}

package dev.millrace.core.store;

/**
 * The store can no longer guarantee what it holds, for example after a failed sync. Every later
 * call fails too: restart to recover.
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

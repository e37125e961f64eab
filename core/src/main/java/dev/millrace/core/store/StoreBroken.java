package dev.millrace.core.store;

/**
 * The store can no longer vouch for what it holds, e.g. after a failed sync; restart to recover.
 * Nothing that is asked of it will work from now on, so a caller stops instead of trying again.
 */
public final class StoreBroken extends StoreException {
  private static final long serialVersionUID = 1L;

  public StoreBroken(String message) {
    super(message);
  }

  public StoreBroken(String message, Throwable cause) {
    super(message, cause);
  }
}

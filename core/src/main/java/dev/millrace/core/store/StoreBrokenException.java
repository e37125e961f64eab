package dev.millrace.core.store;

import dev.millrace.core.store.health.StoreHealth;

/**
 * The store can no longer guarantee what it holds, for example after a failed sync. Every later
 * call fails too: restart to recover.
 */
public final class StoreBrokenException extends StoreException {
  private static final long serialVersionUID = 1L;

  public StoreBrokenException(String message) {
    super(message, null, StoreHealth.Trouble.BROKEN);
  }

  public StoreBrokenException(String message, Throwable cause) {
    super(message, cause, StoreHealth.Trouble.BROKEN);
  }
}

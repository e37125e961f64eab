package dev.millrace.core.store;

import dev.millrace.core.store.health.StoreHealth;
import org.jspecify.annotations.Nullable;

/** A store operation failed. The message says what failed, where, and what to do. */
public class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final StoreHealth.@Nullable Trouble trouble;

  public StoreException(String message) {
    this(message, null);
  }

  public StoreException(String message, @Nullable Throwable cause) {
    this(message, cause, null);
  }

  /**
   * @param trouble of the whole store; null if it is none
   */
  public StoreException(
      String message, @Nullable Throwable cause, StoreHealth.@Nullable Trouble trouble) {
    super(message, cause);
    this.trouble = trouble;
  }

  /** What keeps the whole store from working; null if this concerns one call or one job only. */
  public final StoreHealth.@Nullable Trouble trouble() {
    return trouble;
  }

  /** The store was closed before this call, or while it waited to begin: nothing was changed. */
  public static final class Closed extends StoreException {
    private static final long serialVersionUID = 1L;

    public Closed() {
      super("the store is closed");
    }
  }
}

package dev.millrace.core.store.health;

import org.jspecify.annotations.Nullable;

/**
 * Whether a store can keep what it is given, as it found out by itself.
 *
 * @param trouble why it cannot; null if it can
 * @param failures calls that failed for such a reason since it was opened
 * @param freeBytes what can still be written; -1 if that is not known
 */
public record StoreHealth(@Nullable Trouble trouble, long failures, long freeBytes) {
  /** A store without trouble that knows nothing of its disk. */
  public static final StoreHealth GOOD = new StoreHealth(null, 0, -1);

  /** Why a store cannot keep what it is given. The text names no path: anyone may read it. */
  public enum Trouble {
    FULL("its disk is full; free some space"),
    READ_ONLY("its file system is read-only; mount it writable"),
    FAILING("it cannot be written; the server's log says why"),
    /** It stays so until the process is started again. */
    BROKEN("a sync failed, and nothing more is accepted; check the disk, then restart the server");

    private final String text;

    Trouble(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }
}

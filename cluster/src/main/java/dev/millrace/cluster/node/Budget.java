package dev.millrace.cluster.node;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What weights and caches take here, and may take. One thread at a time. */
final class Budget {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

  private final long allowed;
  private long used;

  /**
   * @param allowed bytes; 0: nobody counts
   */
  Budget(long allowed) {
    this.allowed = allowed;
  }

  long allowed() {
    return allowed;
  }

  long used() {
    return used;
  }

  boolean fits(long bytes) {
    return allowed == 0 || bytes <= allowed - used;
  }

  /**
   * Null where there is room; else how much is needed, free and allowed.
   *
   * @param needs what needs it, with the verb
   */
  @Nullable String refusal(String needs, long bytes) {
    return fits(bytes)
        ? null
        : "%s %s, but only %s of the %s that this node may use are free"
            .formatted(needs, text(bytes), text(Math.max(0, allowed - used)), text(allowed));
  }

  void take(long bytes) {
    used += bytes;
  }

  void giveBack(long bytes) {
    used -= bytes;
  }

  /** As people read it. */
  static String text(long bytes) {
    if (Math.abs(bytes) < 1024) {
      return bytes + (bytes == 1 ? " byte" : " bytes");
    }
    double amount = bytes / 1024.0;
    int unit = 0;
    while (Math.abs(amount) >= 1024 && unit < UNITS.length - 1) {
      amount /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
  }
}

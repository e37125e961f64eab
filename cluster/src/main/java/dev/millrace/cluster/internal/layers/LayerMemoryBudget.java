package dev.millrace.cluster.internal.layers;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What weights and caches take here, and may take. One thread at a time. */
public final class LayerMemoryBudget {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

  private final long allowed;
  private long used;

  /**
   * @param allowed bytes; 0: nobody counts
   */
  public LayerMemoryBudget(long allowed) {
    this.allowed = allowed;
  }

  public long allowed() {
    return allowed;
  }

  public long used() {
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
  public @Nullable String refusal(String needs, long bytes) {
    return fits(bytes)
        ? null
        : "%s %s, but only %s of the %s that this node may use are free"
            .formatted(
                needs,
                humanBytes(bytes),
                humanBytes(Math.max(0, allowed - used)),
                humanBytes(allowed));
  }

  public void reserve(long bytes) {
    used += bytes;
  }

  public void release(long bytes) {
    used -= bytes;
  }

  /** As people read it. */
  public static String humanBytes(long bytes) {
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

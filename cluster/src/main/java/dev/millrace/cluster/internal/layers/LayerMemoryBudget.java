package dev.millrace.cluster.internal.layers;

import dev.millrace.cluster.NodeMemory;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Counts the memory that weights and caches take. One thread at a time. */
public final class LayerMemoryBudget {
  private static final String[] UNITS = {"KiB", "MiB", "GiB", "TiB"};

  private final NodeMemory memory;
  private long used;

  public LayerMemoryBudget(NodeMemory memory) {
    this.memory = memory;
  }

  /** What origins may plan with; 0 if they may request no layers. */
  public long offered() {
    return memory.offered();
  }

  public long used() {
    return used;
  }

  boolean fits(long bytes) {
    return bytes <= memory.bytes() - used;
  }

  /**
   * Null if there is room; otherwise a text with the needed, free and allowed bytes.
   *
   * @param needs the start of the text: what needs memory, with the verb
   */
  public @Nullable String refusal(String needs, long bytes) {
    return fits(bytes)
        ? null
        : "%s %s, but only %s of the %s that this node may use are free"
            .formatted(
                needs,
                humanBytes(bytes),
                humanBytes(Math.max(0, memory.bytes() - used)),
                humanBytes(memory.bytes()));
  }

  public void reserve(long bytes) {
    used += bytes;
  }

  public void release(long bytes) {
    used -= bytes;
  }

  /** Bytes as people read them: {@code 1.5 GiB}. */
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

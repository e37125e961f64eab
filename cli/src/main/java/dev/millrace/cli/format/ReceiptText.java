package dev.millrace.cli.format;

import dev.millrace.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats a receipt as one line: {@code 84 tokens, stop, 31.2 tokens/s, model house, seed 7}. */
public final class ReceiptText {
  private ReceiptText() {}

  /** Null if there is no receipt. Fields that are missing or have another type are left out. */
  public static @Nullable String of(@Nullable JsonObject receipt) {
    if (receipt == null) {
      return null;
    }
    List<String> parts = new ArrayList<>();
    add(parts, "", receipt.get("completion_tokens"), " tokens");
    add(parts, "", receipt.get("dimensions"), " dimensions");
    add(parts, "", receipt.get("finish_reason"), "");
    add(parts, "resumed at ", receipt.get("resumed"), "");
    if (receipt.get("timings") instanceof Map<?, ?> timings
        && timings.get("tokens_per_second") instanceof Number speed) {
      parts.add(String.format(Locale.ROOT, "%.1f tokens/s", speed.doubleValue()));
    }
    add(parts, "model ", receipt.get("model"), "");
    add(parts, "seed ", receipt.get("seed"), "");
    return parts.isEmpty() ? null : String.join(", ", parts);
  }

  private static void add(List<String> parts, String before, @Nullable Object value, String after) {
    if (value instanceof String || value instanceof Number) {
      parts.add(before + value + after);
    }
  }
}

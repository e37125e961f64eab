package dev.millrace.server.infer.shelf;

import java.util.Locale;

/** Formats an amount of memory for people. */
final class ByteFormat {
  private ByteFormat() {}

  static String format(long bytes) {
    if (bytes < 1L << 20) {
      return String.format(Locale.ROOT, "%.1f KiB", bytes / 1024.0);
    }
    return bytes < 1L << 30
        ? String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1L << 20))
        : String.format(Locale.ROOT, "%.2f GiB", bytes / (double) (1L << 30));
  }
}

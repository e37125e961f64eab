package dev.millrace.cli.terminal;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Formats durations so short that they fit a column. */
public final class DurationText {
  private DurationText() {}

  /** From {@code start} to {@code end}, or to {@code now} if {@code end} is null. */
  public static String between(@Nullable Instant start, @Nullable Instant end, Instant now) {
    return start == null ? "-" : of(Duration.between(start, end == null ? now : end));
  }

  public static String of(Duration span) {
    long millis = Math.max(0, span.toMillis());
    long seconds = millis / 1_000;
    if (millis < 1_000) {
      return millis + "ms";
    }
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1fs", millis / 1_000.0);
    }
    if (seconds < 3_600) {
      return two(seconds / 60, "m", seconds % 60, "s");
    }
    if (seconds < 86_400) {
      return two(seconds / 3_600, "h", seconds / 60 % 60, "m");
    }
    return two(seconds / 86_400, "d", seconds / 3_600 % 24, "h");
  }

  private static String two(long large, String unit, long small, String smaller) {
    return small == 0 ? large + unit : large + unit + small + smaller;
  }
}

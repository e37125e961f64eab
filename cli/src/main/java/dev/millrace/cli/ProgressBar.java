package dev.millrace.cli;

import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A count on its way to a total, as text. */
final class ProgressBar {
  private static final int WIDTH = 24;

  private final char full;
  private final char empty;

  private ProgressBar(char full, char empty) {
    this.full = full;
    this.empty = empty;
  }

  /** Of blocks where the locale has them, else of ASCII. */
  static ProgressBar of(Shell shell) {
    for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
      String value = shell.variable(name);
      if (value != null) {
        boolean utf8 = value.toLowerCase(Locale.ROOT).replace("-", "").contains("utf8");
        return utf8 ? new ProgressBar('█', '░') : new ProgressBar('#', '.');
      }
    }
    return new ProgressBar('#', '.');
  }

  String bar(long count, long total) {
    int filled = total <= 0 ? WIDTH : Math.clamp(count * WIDTH / total, 0, WIDTH);
    return "["
        + String.valueOf(full).repeat(filled)
        + String.valueOf(empty).repeat(WIDTH - filled)
        + "]";
  }

  /** How fast, as {@code 3.2/s}; slow things by the minute. */
  static String rate(double perSecond, String what) {
    return perSecond >= 0.1
        ? String.format(Locale.ROOT, perSecond < 99.95 ? "%.1f%s/s" : "%.0f%s/s", perSecond, what)
        : String.format(Locale.ROOT, "%.1f%s/min", 60 * perSecond, what);
  }

  /** As one says it: {@code 40 s}, {@code 3 min}, {@code 2 h 5 min}. */
  static String span(Duration time) {
    long seconds = Math.max(1, (time.toMillis() + 500) / 1_000);
    if (seconds < 100) {
      return seconds + " s";
    }
    long minutes = (seconds + 30) / 60;
    if (minutes < 100) {
      return minutes + " min";
    }
    return minutes < 48 * 60
        ? minutes / 60 + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min")
        : (minutes + 720) / 1_440 + " days";
  }

  /** {@code , 9 s left}, or nothing. */
  static String left(@Nullable Duration time) {
    return time == null ? "" : ", " + span(time) + " left";
  }
}

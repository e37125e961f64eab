package dev.millrace.cli.terminal;

import dev.millrace.cli.args.MemorySize;
import java.util.Locale;

/** Formats large numbers so short that they fit a column. */
public final class NumberText {
  private static final String[] BYTES = {" B", " KiB", " MiB", " GiB", " TiB"};
  private static final String[] COUNTS = {"", "K", "M", "B", "T"};

  private NumberText() {}

  /** In powers of 1,024, as {@link MemorySize} takes them. */
  public static String bytes(long bytes) {
    return scaled(bytes, 1024, BYTES);
  }

  public static String count(long count) {
    return scaled(count, 1000, COUNTS);
  }

  /** A number of things: {@code 1 task}, {@code 2 tasks}. */
  public static String of(long count, String thing) {
    return count + " " + thing + (count == 1 ? "" : "s");
  }

  private static String scaled(long amount, int step, String[] units) {
    double value = amount;
    int unit = 0;
    while (value >= step - 0.5 && unit < units.length - 1) {
      value /= step;
      unit++;
    }
    return unit == 0
        ? amount + units[0]
        : String.format(Locale.ROOT, value < 99.95 ? "%.1f%s" : "%.0f%s", value, units[unit]);
  }
}

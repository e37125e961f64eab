package dev.millrace.cli;

import java.util.Locale;

/** Large numbers, short enough for a column. */
final class Amounts {
  private Amounts() {}

  /** In powers of 1000, as disks are sold. */
  static String bytes(long bytes) {
    return scaled(bytes, new String[] {" B", " kB", " MB", " GB", " TB"});
  }

  static String count(long count) {
    return scaled(count, new String[] {"", "K", "M", "B", "T"});
  }

  private static String scaled(long amount, String[] units) {
    double value = amount;
    int unit = 0;
    while (value >= 999.5 && unit < units.length - 1) {
      value /= 1000;
      unit++;
    }
    return unit == 0
        ? amount + units[0]
        : String.format(Locale.ROOT, value < 99.95 ? "%.1f%s" : "%.0f%s", value, units[unit]);
  }
}

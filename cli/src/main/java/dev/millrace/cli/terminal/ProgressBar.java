package dev.millrace.cli.terminal;

import dev.millrace.cli.command.Shell;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Formats progress as text: bars, rates and durations. */
public final class ProgressBar {
  private static final int WIDTH = 24;
  private static final Pattern BAR = Pattern.compile("\\[([█#]*)([░.]*)]");

  private final char full;
  private final char empty;

  private ProgressBar(char full, char empty) {
    this.full = full;
    this.empty = empty;
  }

  /** A bar of block characters if the locale has them, else of ASCII. */
  public static ProgressBar of(Shell shell) {
    for (String name : new String[] {"LC_ALL", "LC_CTYPE", "LANG"}) {
      String value = shell.variable(name);
      if (value != null) {
        boolean utf8 = value.toLowerCase(Locale.ROOT).replace("-", "").contains("utf8");
        return utf8 ? new ProgressBar('█', '░') : new ProgressBar('#', '.');
      }
    }
    return new ProgressBar('#', '.');
  }

  /** A bar that is filled as far as {@code count} is of {@code total}; empty if that is 0. */
  public String bar(long count, long total) {
    int filled = total <= 0 ? 0 : Math.clamp(count * WIDTH / total, 0, WIDTH);
    return "["
        + String.valueOf(full).repeat(filled)
        + String.valueOf(empty).repeat(WIDTH - filled)
        + "]";
  }

  /** Shortens the bar of a line so that it fits the columns; the text is never shortened. */
  public static String fitted(String line, int columns) {
    Matcher bar = BAR.matcher(line);
    int excess = line.length() - columns;
    if (excess <= 0 || !bar.find()) {
      return line;
    }
    int before = bar.group(1).length() + bar.group(2).length();
    int after = Math.max(0, before - excess);
    String shorter =
        IntStream.range(0, after)
            .mapToObj(i -> String.valueOf(bar.group().charAt(1 + i * before / after)))
            .collect(Collectors.joining());
    return line.substring(0, bar.start(1)) + shorter + line.substring(bar.end(2));
  }

  /** A rate such as {@code 3.2/s}; slow ones per minute. */
  public static String rate(double perSecond, String what) {
    return perSecond >= 0.1
        ? String.format(Locale.ROOT, perSecond < 99.95 ? "%.1f%s/s" : "%.0f%s/s", perSecond, what)
        : String.format(Locale.ROOT, "%.1f%s/min", 60 * perSecond, what);
  }

  /** A rounded duration: {@code 40 s}, {@code 3 min}, {@code 2 h 5 min}. */
  public static String span(Duration time) {
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
}

package dev.millrace.core.job;

import java.time.DateTimeException;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses durations such as {@code 500ms}, {@code 30s}, {@code 10m}, {@code 2h}, {@code 7d}. */
public final class DurationParser {
  private static final Pattern SIMPLE = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");

  private DurationParser() {}

  public static Duration parse(String text) {
    Matcher simple = SIMPLE.matcher(text);
    if (simple.matches()) {
      long amount = Long.parseLong(simple.group(1));
      return switch (simple.group(2)) {
        case "ms" -> Duration.ofMillis(amount);
        case "s" -> Duration.ofSeconds(amount);
        case "m" -> Duration.ofMinutes(amount);
        case "h" -> Duration.ofHours(amount);
        default -> Duration.ofDays(amount);
      };
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeException e) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is not a duration; write for example 500ms, 30s, 10m, 2h, 7d or PT1H30M");
    }
  }
}

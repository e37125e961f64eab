package dev.millrace.cli.terminal;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import org.jspecify.annotations.Nullable;

/** Formats timestamps, for programs and for people. */
public final class TimeText {
  private static final DateTimeFormatter MICROS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter LOCAL =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss").withZone(ZoneId.systemDefault());
  private static final DateTimeFormatter CLOCK =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  private TimeText() {}

  /** UTC, as {@code meta.json} has it. */
  public static @Nullable String micros(@Nullable Instant time) {
    return time == null ? null : MICROS.format(time);
  }

  public static String local(@Nullable Instant time) {
    return time == null ? "-" : LOCAL.format(time);
  }

  public static String clock(Instant time) {
    return CLOCK.format(time);
  }

  /** Seconds with two decimals; null if either time is not known. */
  public static @Nullable BigDecimal seconds(@Nullable Instant from, @Nullable Instant to) {
    return from == null || to == null
        ? null
        : BigDecimal.valueOf(Duration.between(from, to).toMillis())
            .divide(BigDecimal.valueOf(1_000), 2, RoundingMode.HALF_UP);
  }
}

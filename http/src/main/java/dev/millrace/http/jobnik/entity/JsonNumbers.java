package dev.millrace.http.jobnik.entity;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How lengths of time and shares are written. */
final class JsonNumbers {
  private JsonNumbers() {}

  /** Rounded down, so that only what is done is at 100. */
  static int percent(long part, long whole) {
    return whole == 0 ? 0 : (int) (100 * part / whole);
  }

  /** Fractions only where there are any. */
  static @Nullable Number seconds(@Nullable Duration time) {
    if (time == null) {
      return null;
    }
    return time.toMillis() % 1_000 == 0 ? (Number) time.toSeconds() : time.toMillis() / 1_000.0;
  }
}

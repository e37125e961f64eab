package dev.millrace.http.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Formats times: ISO 8601 in UTC. */
public final class IsoTime {
  private IsoTime() {}

  public static @Nullable String format(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}

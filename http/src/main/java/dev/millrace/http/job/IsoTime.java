package dev.millrace.http.job;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How points in time are written: as ISO 8601 says, in UTC. */
public final class IsoTime {
  private IsoTime() {}

  public static @Nullable String format(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}

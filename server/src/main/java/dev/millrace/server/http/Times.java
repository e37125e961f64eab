package dev.millrace.server.http;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** How points in time are written: as ISO 8601 says, in UTC. */
public final class Times {
  private Times() {}

  public static @Nullable String text(@Nullable Instant time) {
    return time == null ? null : time.toString();
  }
}

package dev.millrace.store.postgres.internal.db;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Times as the database has them: microseconds, and nothing before or after what it can hold. */
public final class Times {
  /** Stands for every earlier time. */
  public static final Instant EARLIEST = Instant.parse("0001-01-01T00:00:00Z");

  private static final Instant LATEST = Instant.parse("9999-12-31T00:00:00Z");

  private Times() {}

  static OffsetDateTime toDatabase(Instant time) {
    Instant possible = time.isBefore(EARLIEST) ? EARLIEST : time.isAfter(LATEST) ? LATEST : time;
    return possible.atOffset(ZoneOffset.UTC);
  }

  /** A time in a list of values. */
  public static String text(Instant time) {
    return toDatabase(time).toString();
  }

  /** The time in a column; null if there is none. */
  public static @Nullable Instant read(ResultSet row, String column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}

package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.store.postgres.internal.db.Times;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Values of many rows as arrays, one for each column. */
final class Columns {
  private Columns() {}

  static <T> Long[] numbers(List<T> rows, ToLongFunction<T> value) {
    Long[] column = new Long[rows.size()];
    for (int i = 0; i < column.length; i++) {
      column[i] = value.applyAsLong(rows.get(i));
    }
    return column;
  }

  static <T> @Nullable String[] texts(List<T> rows, Function<T, @Nullable String> value) {
    @Nullable String[] column = new String[rows.size()];
    for (int i = 0; i < column.length; i++) {
      column[i] = value.apply(rows.get(i));
    }
    return column;
  }

  /** A time as the database reads it. */
  static @Nullable String time(@Nullable Instant time) {
    return time == null ? null : Times.text(time);
  }
}

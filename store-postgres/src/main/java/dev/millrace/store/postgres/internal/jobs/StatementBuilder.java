package dev.millrace.store.postgres.internal.jobs;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement that writes to several tables: a transaction in one message. Its first part gives
 * the rows that the others depend on.
 */
final class StatementBuilder {
  private final StringBuilder text = new StringBuilder();
  private final List<@Nullable Object> values = new ArrayList<>();
  private int parts;

  /** Adds a part: its rows have that name for the parts behind it. */
  StatementBuilder with(String name, String part, @Nullable Object... more) {
    text.append(parts++ == 0 ? "WITH " : ", ")
        .append(name)
        .append(" AS (")
        .append(part)
        .append(')');
    return values(more);
  }

  /** Ends it. */
  StatementBuilder select(String query) {
    text.append(' ').append(query);
    return this;
  }

  /** Adds values of the part or query that was added last. */
  StatementBuilder values(@Nullable Object[] more) {
    for (Object value : more) {
      values.add(value);
    }
    return this;
  }

  String text() {
    return text.toString();
  }

  @Nullable Object[] values() {
    return values.toArray();
  }
}

package dev.millrace.store.postgres.internal.rows;

import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Tasks as arrays of their columns, to be written by one statement. */
public record WrittenRows(
    Integer[] stages, Integer[] tasks, @Nullable String[] specs, @Nullable String[] rendered) {

  public static WrittenRows of(Collection<TaskRow> rows) {
    return new WrittenRows(
        rows.stream().map(TaskRow::stage).toArray(Integer[]::new),
        rows.stream().map(TaskRow::task).toArray(Integer[]::new),
        rows.stream().map(row -> TaskRows.json(row.given())).toArray(String[]::new),
        rows.stream().map(row -> TaskRows.json(row.rendered())).toArray(String[]::new));
  }
}

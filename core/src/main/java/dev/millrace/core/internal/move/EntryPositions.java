package dev.millrace.core.internal.move;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.event.LogEntry;

/** Leaves out of log entries where results are stored, and puts that in again. */
public final class EntryPositions {
  private EntryPositions() {}

  /** Where the result of a task is stored. */
  @FunctionalInterface
  public interface Positions {
    /** An offset of 0 and a length of 0, if it has none. */
    Detail.Completed of(int stage, int task);
  }

  private static final Detail.Completed NONE = new Detail.Completed(0, 0);

  /** The same entry, wherever its result is stored. */
  public static LogEntry leaveOut(LogEntry entry) {
    return put(entry, (_, _) -> NONE);
  }

  /** The same entry for a store that keeps its result there. */
  public static LogEntry put(LogEntry entry, Positions positions) {
    if (!(entry.fact() instanceof Fact.TaskChanged(int stage, int task, var event, var detail))) {
      return entry;
    }
    Detail placed =
        switch (detail) {
          case Detail.Completed _ -> positions.of(stage, task);
          case Detail.Adopted adopted -> {
            Detail.Completed at = positions.of(stage, task);
            yield new Detail.Adopted(adopted.from(), at.offset(), at.length());
          }
          default -> detail;
        };
    return new LogEntry(
        entry.number(), entry.at(), new Fact.TaskChanged(stage, task, event, placed));
  }
}

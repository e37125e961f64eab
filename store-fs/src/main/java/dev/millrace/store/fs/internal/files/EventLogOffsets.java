package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.LogEntry;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Remembers where some entries of a job's log end, so that a follower of the log need not read all
 * of it again. If there are too many offsets, every second one is dropped.
 */
public final class EventLogOffsets {
  private static final int MOST = 1_024;

  private long[] numbers = new long[8];
  private long[] offsets = new long[8];
  private int size;

  /** Entries up to {@code number} end at byte {@code offset}. */
  public void add(long number, long offset) {
    if (size == MOST) {
      size = MOST / 2;
      for (int i = 0; i < size; i++) {
        numbers[i] = numbers[2 * i];
        offsets[i] = offsets[2 * i];
      }
    }
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
      offsets = Arrays.copyOf(offsets, 2 * size);
    }
    numbers[size] = number;
    offsets[size++] = offset;
  }

  /** The entries after number {@code after}; empty if the whole log would have to be read. */
  public Optional<List<LogEntry>> read(JobDirectory at, long after, int limit) throws IOException {
    int from = last(after);
    if (from < 0) {
      return Optional.empty();
    }
    int to = Math.min(size - 1, last(after + limit - 1) + 1);
    int length = Math.toIntExact(offsets[to] - offsets[from]);
    byte[] bytes = at.disk().read(at.file(EventLog.FILE), offsets[from], length);
    List<LogEntry> entries = EventLog.following(bytes, numbers[from]);
    if (entries.size() != numbers[to] - numbers[from]) {
      return Optional.empty(); // another process has changed it
    }
    int skipped = (int) Math.min(entries.size(), Math.max(0, after - numbers[from]));
    int end = skipped + Math.min(limit, entries.size() - skipped);
    return Optional.of(List.copyOf(entries.subList(skipped, end)));
  }

  /** The last offset at or before that number; -1 if there is none. */
  private int last(long number) {
    int found = Arrays.binarySearch(numbers, 0, size, number);
    return found >= 0 ? found : -found - 2;
  }
}

package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a job's log that was read: how long it is, and where its entries are. The entries
 * themselves are not kept: a caller that needs some reads them again, a page at a time. Not
 * thread-safe.
 */
public final class EventLogIndex {
  /** The bytes of log between two places that are remembered, which is what a page reads in vain. */
  private static final int SPACING = 1 << 14;

  /** A page ends after so many bytes of log. */
  private static final int PAGE_BYTES = 1 << 22;

  private final SharedTerms terms;
  private long[] numbers;
  private long[] offsets;
  private int size;
  private long last;
  private long length;
  private @Nullable String torn;

  /** A log without entries. */
  public EventLogIndex() {
    this(new SharedTerms(), new long[4], new long[4]);
  }

  private EventLogIndex(SharedTerms terms, long[] numbers, long[] offsets) {
    this.terms = terms;
    this.numbers = numbers;
    this.offsets = offsets;
  }

  /** An independent copy. */
  public EventLogIndex copy() {
    EventLogIndex copy = new EventLogIndex(terms.copy(), numbers.clone(), offsets.clone());
    copy.size = size;
    copy.last = last;
    copy.length = length;
    copy.torn = torn;
    return copy;
  }

  /** The number of its last entry; 0 if it has none. */
  public long last() {
    return last;
  }

  /** The end of its last complete line. */
  public long length() {
    return length;
  }

  /** What a crash left after that, as text for a message; null if nothing. */
  public @Nullable String torn() {
    return torn;
  }

  void torn(@Nullable String what) {
    torn = what;
  }

  /** The values that its entries share. */
  SharedTerms terms() {
    return terms;
  }

  /** The next entry ends at byte {@code end}. */
  void add(long end) {
    last++;
    length = end;
    if (end - (size == 0 ? 0 : offsets[size - 1]) >= SPACING) {
      if (size == numbers.length) {
        numbers = Arrays.copyOf(numbers, 2 * size);
        offsets = Arrays.copyOf(offsets, 2 * size);
      }
      numbers[size] = last;
      offsets[size++] = end;
    }
  }

  /** About how many bytes of memory it takes. */
  public long size() {
    return 16L * numbers.length + terms.size();
  }

  /** Reads entries of this log, which may only have grown since. */
  public Pages pages(JobDirectory at) {
    return new Pages(at);
  }

  /** Reads entries, some at a time, and remembers the values that they share. */
  public final class Pages {
    private final JobDirectory at;

    /** The terms of earlier entries that others name. */
    private final Map<Long, JsonObject> sources = new HashMap<>();

    private long sourceBytes;

    private Pages(JobDirectory at) {
      this.at = at;
    }

    /**
     * Entries after number {@code after}: as many as asked for, or fewer where they are large. There
     * are none only at the end.
     *
     * @throws ChangedLogException if the log has changed since, other than by growing
     */
    public List<LogEntry> entries(long after, int limit) throws IOException {
      try {
        return read(after, limit, this::source);
      } catch (UncheckedIOException e) {
        throw e.getCause();
      }
    }

    /** The terms that an entry froze. */
    public JsonObject frozenTerms(long number) throws IOException {
      return terms(entries(number - 1, 1), number);
    }

    private List<LogEntry> read(long after, int limit, @Nullable LongFunction<JsonObject> source)
        throws IOException {
      List<LogEntry> entries = new ArrayList<>();
      int place = place(after);
      long number = place < 0 ? 0 : numbers[place];
      long from = place < 0 ? 0 : offsets[place];
      LogLines lines = new LogLines(at.disk(), at.file(EventLog.FILE), from, length);
      long bytes = 0;
      while (number < last && entries.size() < limit && bytes < PAGE_BYTES && after < last) {
        if (!lines.next()) {
          throw changed(number + 1);
        }
        number++;
        if (number > after) {
          long before = sourceBytes;
          entries.add(entry(lines, number, source));
          bytes += lines.length() + Math.max(0, sourceBytes - before);
        }
      }
      return entries;
    }

    private LogEntry entry(LogLines lines, long number, @Nullable LongFunction<JsonObject> source)
        throws IOException {
      try {
        LogEntry entry = SharedTerms.read(Json.object(lines.text()), source);
        if (entry.number() == number) {
          return entry;
        }
      } catch (JsonException e) {
        // it is not the line that was read before
      }
      throw changed(number);
    }

    /** The terms that an entry has itself, for those that name it. */
    private JsonObject source(long number) {
      JsonObject known = sources.get(number);
      if (known != null) {
        return known;
      }
      try {
        JsonObject found = terms(read(number - 1, 1, null), number);
        if (sourceBytes > PAGE_BYTES) {
          sources.clear();
          sourceBytes = 0;
        }
        sourceBytes += Json.write(found).length();
        sources.put(number, found);
        return found;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static JsonObject terms(List<LogEntry> found, long number) throws IOException {
      if (!found.isEmpty()
          && found.getFirst().fact() instanceof Fact.TermsFrozen(int _, int _, JsonObject terms)) {
        return terms;
      }
      throw changed(number);
    }
  }

  private static ChangedLogException changed(long line) {
    return new ChangedLogException(
        EventLog.FILE + ", line " + line + " is not the entry that was there before");
  }

  /** Entries are gone: a failed write was taken back since. The caller should read again. */
  public static final class ChangedLogException extends EventLog.DamagedLogException {
    private static final long serialVersionUID = 1L;

    ChangedLogException(String message) {
      super(message);
    }
  }

  /** The last place at or before that number; -1 if there is none. */
  private int place(long number) {
    int found = Arrays.binarySearch(numbers, 0, size, number);
    return found >= 0 ? found : -found - 2;
  }
}

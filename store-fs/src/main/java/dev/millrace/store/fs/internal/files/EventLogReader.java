package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.files.EventLog.DamagedLogException;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job's log from its start to its end, and passes its entries on one by one: the memory that
 * it takes does not grow with the log.
 */
final class EventLogReader {
  /** The start of every entry's line. */
  private static final byte[] FIRST_BYTES = StrictUtf8.bytes("{\"n\":");

  private static final byte[] LAST_BYTES = StrictUtf8.bytes("}");
  private static final int SHOWN = 80;

  /** Gets the entries in their order. Frozen terms may be incomplete: the log shares values. */
  @FunctionalInterface
  interface Consumer {
    void accept(LogEntry entry) throws IOException;
  }

  private final JobDirectory at;
  private final Path file;

  EventLogReader(JobDirectory at) {
    this.at = at;
    this.file = at.file(EventLog.FILE);
  }

  /** Reads the whole log; one that does not exist yet is empty. */
  EventLogIndex read(Consumer consumer) throws IOException {
    EventLogIndex index = new EventLogIndex();
    try {
      LogLines lines = new LogLines(at.disk(), file, 0, Long.MAX_VALUE);
      Walk walk = new Walk(lines, index, consumer);
      if (!walk.toEnd()) {
        index.torn(torn(lines, walk, index));
      }
      return index;
    } catch (NoSuchFileException e) {
      if (index.last() > 0 || at.disk().kind(at.dir()) != Disk.Kind.DIRECTORY) {
        throw e; // the job has moved
      }
      return index;
    }
  }

  /**
   * Reads what was added since the log was last read; mostly it has only grown.
   *
   * @return null if it has not: it is torn, or a failed append was taken back
   */
  @Nullable EventLogIndex readGrown(EventLogIndex known, Consumer consumer) throws IOException {
    long end = grownTo(known);
    if (end < 0) {
      return null;
    }
    if (end == known.length() && known.torn() == null) {
      return known;
    }
    EventLogIndex index = known.copy();
    index.torn(null); // what a crash had left was cut off since
    LogLines lines = new LogLines(at.disk(), file, known.length(), end);
    return new Walk(lines, index, consumer).toEnd() ? index : null;
  }

  /** Checks what follows before any of it is passed on; -1 if not all of it are entries. */
  private long grownTo(EventLogIndex known) throws IOException {
    try {
      LogLines lines = new LogLines(at.disk(), file, known.length() - 1, Long.MAX_VALUE);
      boolean continues = known.length() > 0 && lines.next() && lines.length() == 0;
      EventLogIndex index = known.copy();
      return continues && new Walk(lines, index, _ -> {}).toEnd() ? index.length() : -1;
    } catch (NoSuchFileException e) {
      return -1;
    }
  }

  /** Goes through lines as long as they are the next entries. */
  private static final class Walk {
    private record Line(LogEntry entry, JsonObject json, long end) {}

    private final LogLines lines;
    private final EventLogIndex index;
    private final Consumer consumer;

    /** Entries that count only with the next one. */
    private final List<Line> group = new ArrayList<>();

    private boolean stoppedAtLine;

    Walk(LogLines lines, EventLogIndex index, Consumer consumer) {
      this.lines = lines;
      this.index = index;
      this.consumer = consumer;
    }

    /** Whether the file has nothing but complete entries. */
    boolean toEnd() throws IOException {
      while (lines.next()) {
        Line line = read(lines);
        if (line == null || line.entry.number() != nextNumber()) {
          stoppedAtLine = true;
          return false;
        }
        group.add(line);
        if (!lines.endsWith(EventLog.MORE_BYTES)) {
          pass();
        }
      }
      return group.isEmpty() && lines.fileEnd() == lines.nextOffset();
    }

    long nextNumber() {
      return index.last() + group.size() + 1;
    }

    private void pass() throws IOException {
      for (Line line : group) {
        consumer.accept(line.entry);
        index.add(line.end);
        index.terms().learn(line.json, line.entry.number());
      }
      group.clear();
    }

    static @Nullable Line read(LogLines lines) {
      try {
        JsonObject json = Json.object(lines.text());
        return new Line(SharedTerms.read(json, null), json, lines.nextOffset());
      } catch (JsonException e) {
        return null;
      }
    }
  }

  /** Only a tail without any complete line can be a torn write. */
  private String torn(LogLines lines, Walk walk, EventLogIndex index) throws IOException {
    long bad = walk.nextNumber();
    boolean first = true;
    for (boolean more = walk.stoppedAtLine; more; more = lines.next()) {
      if (isWhole(lines) || Walk.read(lines) != null) {
        throw new DamagedLogException(
            EventLog.FILE
                + ", line "
                + bad
                + (first
                    ? " is not an entry that can follow here, or not one that is known"
                    : " is not an entry but later lines are")
                + ": the file was damaged, edited, or written by a later version");
      }
      first = false;
    }
    byte[] shown = at.disk().read(file, index.length(), SHOWN);
    return (lines.fileEnd() - index.length())
        + " bytes after line "
        + index.last()
        + ": "
        + new String(shown, StandardCharsets.ISO_8859_1).replaceAll("[^\\x20-\\x7e]", ".");
  }

  /** Whether a line was written completely: a crash leaves no newline, or zeros before it. */
  private static boolean isWhole(LogLines lines) {
    return lines.length() > FIRST_BYTES.length
        && lines.startsWith(FIRST_BYTES)
        && lines.endsWith(LAST_BYTES)
        && !lines.hasControlCharacters();
  }
}

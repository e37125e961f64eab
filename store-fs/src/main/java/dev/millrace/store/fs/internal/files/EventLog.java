package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.json.JsonException;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job's log, {@code events.jsonl}: append-only, one entry per line. */
public final class EventLog {
  public static final String FILE = "events.jsonl";
  private static final int MAX_BYTES = Integer.MAX_VALUE - 16;

  private EventLog() {}

  /**
   * The content of a log.
   *
   * @param length the end of its last complete line
   * @param torn what a crash left after that, as text for a message; null if nothing
   */
  public record Content(List<LogEntry> entries, long length, @Nullable String torn) {}

  /**
   * The log is damaged in a way that a crash cannot cause: a complete line is not an entry, or not
   * the next one.
   */
  public static final class DamagedLogException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedLogException(String message) {
      super(message);
    }
  }

  /** A log that was not read. */
  static final Content UNREAD = new Content(List.of(), 0, null);

  /**
   * Ends the line of an entry that counts only with the next one. What a user adds to a job in one
   * request is in the log completely or not at all, because the rules cannot derive the rest of it.
   */
  private static final String MORE = ",\"more\":true}";

  private static final byte[] MORE_BYTES = StrictUtf8.bytes(MORE);

  /** The start of every entry's line. */
  private static final byte[] FIRST_BYTES = StrictUtf8.bytes("{\"n\":");

  /** The complete entries that could be read, where they end, and the line after them. */
  private record Walk(Content content, int reached, int line) {}

  /** The whole log; empty if there is none yet. */
  static Content read(JobDirectory at) throws IOException {
    return read(at, UNREAD);
  }

  /**
   * As {@link #read(JobDirectory)}, if {@code known} was read before: mostly the log has only
   * grown.
   */
  static Content read(JobDirectory at, Content known) throws IOException {
    Path file = at.file(FILE);
    try {
      if (known.length() > 0) {
        byte[] grown = at.disk().read(file, known.length() - 1, MAX_BYTES);
        boolean continues = grown.length > 0 && grown[0] == '\n';
        Content all = continues ? entries(grown, 1, known).content() : null;
        if (all != null && all.length() == known.length() + grown.length - 1) {
          return all;
        } // else it is torn, or a failed append was taken back
      }
      byte[] bytes = at.disk().read(file, MAX_BYTES);
      Walk walk = entries(bytes, 0, UNREAD);
      return walk.content().length() == bytes.length ? walk.content() : torn(file, bytes, walk);
    } catch (NoSuchFileException e) {
      if (at.disk().kind(at.dir()) != Disk.Kind.DIRECTORY) {
        throw e; // the job has moved
      }
      return UNREAD;
    }
  }

  /** The known content with the complete entries that follow it. */
  private static Walk entries(byte[] bytes, int start, Content known) {
    List<LogEntry> entries =
        start == bytes.length ? known.entries() : new ArrayList<>(known.entries());
    int from = start;
    int whole = start;
    int counted = entries.size();
    while (from < bytes.length) {
      int end = lineEnd(bytes, from);
      LogEntry entry = end < 0 ? null : parse(bytes, from, end);
      if (entry == null || entry.number() != entries.size() + 1) {
        break;
      }
      entries.add(entry);
      from = end + 1;
      if (!countsWithNext(bytes, end)) {
        whole = from;
        counted = entries.size();
      }
    }
    List<LogEntry> counting = counted == entries.size() ? entries : entries.subList(0, counted);
    return new Walk(
        new Content(counting, known.length() + whole - start, null), from, entries.size() + 1);
  }

  /** The complete entries in the part of a log that starts after that number. */
  static List<LogEntry> following(byte[] bytes, long after) {
    List<LogEntry> entries = new ArrayList<>();
    int from = 0;
    for (int end = lineEnd(bytes, from); end >= 0; end = lineEnd(bytes, from)) {
      LogEntry entry = parse(bytes, from, end);
      if (entry == null || entry.number() != after + entries.size() + 1) {
        break;
      }
      entries.add(entry);
      from = end + 1;
    }
    return entries;
  }

  private static boolean countsWithNext(byte[] bytes, int end) {
    int from = end - MORE_BYTES.length;
    return from >= 0 && Arrays.equals(bytes, from, end, MORE_BYTES, 0, MORE_BYTES.length);
  }

  /** Only a tail without any complete line can be a torn write. */
  private static Content torn(Path file, byte[] bytes, Walk walk) throws DamagedLogException {
    int line = walk.reached();
    for (int end = lineEnd(bytes, line); end >= 0; end = lineEnd(bytes, line)) {
      if (parse(bytes, line, end) != null || isWhole(bytes, line, end)) {
        throw new DamagedLogException(
            file.getFileName()
                + ", line "
                + walk.line()
                + (line == walk.reached()
                    ? " is not an entry that can follow here, or not one that is known"
                    : " is not an entry but later lines are")
                + ": the file was damaged, edited, or written by a later version");
      }
      line = end + 1;
    }
    List<LogEntry> entries = walk.content().entries();
    int from = (int) walk.content().length();
    int shown = Math.min(bytes.length - from, 80);
    return new Content(
        entries,
        from,
        (bytes.length - from)
            + " bytes after line "
            + entries.size()
            + ": "
            + new String(bytes, from, shown, StandardCharsets.ISO_8859_1)
                .replaceAll("[^\\x20-\\x7e]", "."));
  }

  /** Whether a line was written completely: a crash leaves no newline, or zeros before it. */
  private static boolean isWhole(byte[] bytes, int from, int end) {
    int first = from + FIRST_BYTES.length;
    if (first >= end
        || bytes[end - 1] != '}'
        || !Arrays.equals(bytes, from, first, FIRST_BYTES, 0, FIRST_BYTES.length)) {
      return false;
    }
    for (int i = from; i < end; i++) {
      if (bytes[i] >= 0 && bytes[i] < ' ') {
        return false;
      }
    }
    return true;
  }

  private static int lineEnd(byte[] bytes, int from) {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  private static @Nullable LogEntry parse(byte[] bytes, int from, int end) {
    try {
      return LogEntryJson.read(new String(bytes, from, end - from, StandardCharsets.UTF_8));
    } catch (JsonException e) {
      return null;
    }
  }

  /**
   * Appends entries and returns their size in bytes.
   *
   * @throws IllegalArgumentException before anything is written, if one could not be read back
   */
  public static long append(JobDirectory at, List<LogEntry> entries, UnsyncedChanges unsynced)
      throws IOException {
    StringBuilder lines = new StringBuilder();
    boolean first = false;
    int last = lastAddition(entries);
    for (int i = 0; i < entries.size(); i++) {
      LogEntry entry = entries.get(i);
      lines.append(line(entry));
      if (i < last && isAddition(entry)) {
        lines.replace(lines.length() - 1, lines.length(), MORE);
      }
      lines.append('\n');
      first |= entry.number() == 1;
    }
    byte[] bytes = StrictUtf8.bytes(lines.toString());
    at.disk().append(at.file(FILE), bytes);
    unsynced.addFile(at.file(FILE));
    if (first) {
      unsynced.addDirectory(at.dir()).addDirectory(at.dir().getParent());
    }
    return bytes.length;
  }

  private static String line(LogEntry entry) {
    String line = LogEntryJson.write(entry);
    if (holdsJson(entry.fact())) {
      try {
        LogEntryJson.read(line);
      } catch (JsonException e) {
        throw new IllegalArgumentException("it cannot be kept: " + e.getMessage());
      }
    }
    return line;
  }

  /** Whether someone else has written to the log. */
  private static boolean holdsJson(Fact fact) {
    return fact instanceof Fact.MetadataReplaced
        || fact instanceof Fact.TermsFrozen
        || fact instanceof Fact.StageAdded;
  }

  private static int lastAddition(List<LogEntry> entries) {
    int last = entries.size() - 1;
    while (last >= 0 && !isAddition(entries.get(last))) {
      last--;
    }
    return last;
  }

  private static boolean isAddition(LogEntry entry) {
    return entry.fact() instanceof Fact.StageAdded || entry.fact() instanceof Fact.TasksAdded;
  }

  /** Removes what a failed append has left. */
  public static void cut(JobDirectory at, long length) throws IOException {
    if (at.disk().kind(at.file(FILE)) == Disk.Kind.FILE && at.disk().size(at.file(FILE)) > length) {
      at.disk().truncate(at.file(FILE), length);
    }
  }
}

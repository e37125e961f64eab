package dev.millrace.store.fs.internal.files;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.event.LogEntryJson;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;

/** A job's log, {@code events.jsonl}: append-only, one entry per line. */
public final class EventLog {
  public static final String FILE = "events.jsonl";

  private EventLog() {}

  /**
   * The log is damaged in a way that a crash cannot cause: a complete line is not an entry, or not
   * the next one.
   */
  public static class DamagedLogException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedLogException(String message) {
      super(message);
    }
  }

  /**
   * Ends the line of an entry that counts only with the next one. What a user adds to a job in one
   * request is in the log completely or not at all, because the rules cannot derive the rest of it.
   */
  private static final String MORE = ",\"more\":true}";

  static final byte[] MORE_BYTES = StrictUtf8.bytes(MORE);

  /**
   * Appends entries.
   *
   * @param index of the log, which gets the entries
   * @throws IllegalArgumentException before anything is written, if one could not be read back
   */
  public static void append(
      JobDirectory at, List<LogEntry> entries, EventLogIndex index, UnsyncedChanges unsynced)
      throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    long[] ends = new long[entries.size()];
    int last = lastAddition(entries);
    for (int i = 0; i < entries.size(); i++) {
      LogEntry entry = entries.get(i);
      String line = line(entry, index.terms());
      bytes.writeBytes(
          StrictUtf8.bytes(
              i < last && isAddition(entry) ? line.substring(0, line.length() - 1) + MORE : line));
      bytes.write('\n');
      ends[i] = index.length() + bytes.size();
    }
    at.disk().append(at.file(FILE), bytes.toByteArray());
    unsynced.addFile(at.file(FILE));
    if (!entries.isEmpty() && entries.getFirst().number() == 1) {
      unsynced.addDirectory(at.dir()).addDirectory(at.dir().getParent());
    }
    for (long end : ends) {
      index.add(end);
    }
  }

  private static String line(LogEntry entry, SharedTerms shared) {
    String line =
        entry.fact() instanceof Fact.TermsFrozen(int _, int _, JsonObject terms)
            ? shared.line(entry, terms)
            : LogEntryJson.write(entry);
    if (holdsJson(entry.fact())) {
      try {
        SharedTerms.read(Json.object(line), null);
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

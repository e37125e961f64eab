package dev.millrace.store.fs.internal.move;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.EventLogIndex;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Writes the log of a job that is assembled, some entries at a time. */
final class LogWriter {
  private static final int CHUNK = 100;

  private final JobDirectory at;
  private final JobFold fold;
  private final UnsyncedChanges unsynced;
  private final EventLogIndex index = new EventLogIndex();
  private final List<LogEntry> entries = new ArrayList<>();

  LogWriter(JobDirectory at, JobFold fold, UnsyncedChanges unsynced) {
    this.at = at;
    this.fold = fold;
    this.unsynced = unsynced;
  }

  void add(LogEntry entry) throws IOException {
    fold.apply(entry);
    entries.add(entry);
    if (entries.size() >= CHUNK) {
      flush();
    }
  }

  private void flush() throws IOException {
    EventLog.append(at, entries, index, unsynced);
    entries.clear();
  }

  /** A job to which nothing has happened yet has no log: its submission is implied. */
  void finish() throws IOException {
    boolean implied =
        index.length() == 0
            && entries.size() == 1
            && entries.getFirst().fact().equals(new Fact.Submitted())
            && entries.getFirst().at().equals(fold.plan().createdAt());
    if (!implied && !entries.isEmpty()) {
      flush();
    }
  }
}

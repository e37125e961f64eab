package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.job.JobState;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;

/** Repairs the end of a log. */
final class LogRepair {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private LogRepair() {}

  /**
   * Cuts off what a crash left at the end of a log, and syncs the rest: the last owner may have
   * been killed before its sync, and what is added now will be acknowledged.
   */
  static void run(JobOnDisk job, WorkspaceLayout layout, UnsyncedChanges unsynced)
      throws IOException {
    Path log = job.at().file(EventLog.FILE);
    if (job.log().torn() != null) {
      LOG.log(
          Level.WARNING,
          "job "
              + job.id()
              + ": cut off a torn line of "
              + EventLog.FILE
              + ", "
              + job.log().torn());
      job.at().disk().truncate(log, job.log().length());
      unsynced.addFile(log);
    }
    sync(job, layout, unsynced);
  }

  /** Adds the log as it is, with the names that lead to it. */
  static void sync(JobOnDisk job, WorkspaceLayout layout, UnsyncedChanges unsynced) {
    if (job.log().length() > 0) {
      unsynced.addFile(job.at().file(EventLog.FILE)).addDirectory(job.at().dir());
    }
    if (job.log().length() > 0 || job.directoryState() != JobState.PENDING) {
      unsynced.addDirectory(layout.of(job.directoryState()));
    }
  }
}

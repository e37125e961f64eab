package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.job.JobState;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.store.fs.internal.disk.BackwardMoves;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.PendingTransition;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import dev.millrace.store.fs.internal.queue.FinishRate;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Writes what happens to the jobs of a workspace. The order of writes decides what a power loss can
 * do. Claiming: rename, then append. A user's lever: say what is intended, rename, append, each
 * durable before the next. Ending: append, then rename.
 *
 * <p>Callers hold the job's lock.
 */
final class EntryWriter {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final BackwardMoves backward;
  private final ClaimQueue queue;
  private final FinishRate rate;

  /** Journals to delete once their tasks are durably completed. */
  private record UnneededFile(Path file, long commit) {}

  private final Queue<UnneededFile> unneeded = new ConcurrentLinkedQueue<>();

  EntryWriter(
      Disk disk,
      WorkspaceLayout layout,
      GroupCommit commits,
      BackwardMoves backward,
      ClaimQueue queue,
      FinishRate rate) {
    this.backward = backward;
    this.disk = disk;
    this.layout = layout;
    this.commits = commits;
    this.queue = queue;
    this.rate = rate;
  }

  /**
   * Appends entries to the job's log, and renames its directory where they say so.
   *
   * @return the sync after which all of it is durable
   */
  long append(FsJob job, List<LogEntry> entries) throws IOException {
    if (job.directoryState().isFinal() && entries.isEmpty()) {
      job.dropReadUnlessTorn();
      UnsyncedChanges found = job.takeWithEntries(); // it was only read
      commits.enlist(found);
      return found.lastSync();
    }
    JobOnDisk read = job.takeRead();
    if (job.directoryState().isFinal() && read != null) {
      LogRepair.run(read, layout, job.withEntries());
    }
    commits.commit(job.takeBeforeEntries()); // what an entry refers to is on disk before the entry
    UnsyncedChanges unsynced = job.takeWithEntries();
    moveFirst(job, entries, unsynced);
    if (!job.directoryState().isFinal() && completesTask(entries)) {
      job.files().publishResult(job.at());
    }
    job.appendLog(entries, unsynced);
    if (!finish(job, unsynced)) {
      queue.put(job);
    }
    commits.enlist(unsynced);
    for (Path file : job.takeUnneededJournals()) {
      unneeded.add(new UnneededFile(file, unsynced.lastSync()));
    }
    return unsynced.lastSync();
  }

  private static boolean completesTask(List<LogEntry> entries) {
    return entries.stream()
        .anyMatch(
            entry ->
                entry.fact() instanceof Fact.TaskChanged task
                    && task.event() == TaskEvent.COMPLETE);
  }

  /** The renames that come before the entries which say the same. */
  private void moveFirst(FsJob job, List<LogEntry> entries, UnsyncedChanges unsynced)
      throws IOException {
    PendingTransition lever = PendingTransition.of(entries, job.fold());
    if (lever != null && lever.to() != job.directoryState()) {
      lever.write(job.at(), unsynced);
      if (job.hasLog()) {
        unsynced.addFile(job.at().file(EventLog.FILE));
      }
      commits.commit(unsynced);
      move(job, lever.to(), unsynced);
      commits.commit(unsynced);
    } else if (job.directoryState() == JobState.PENDING && job.fold().startedAt() != null) {
      // Then the log of a waiting job need not be read to know that it waits. A file must be synced
      // under the name that it has.
      commits.commit(unsynced);
      commits.awaitSync(job.commit());
      move(job, JobState.IN_PROGRESS, unsynced);
    }
  }

  /** Renames the job's directory; {@code unsynced} gets the new name to sync. */
  private void move(FsJob job, JobState to, UnsyncedChanges unsynced) throws IOException {
    Path from = job.at().dir();
    Path target = layout.of(to, job.id());
    if (WorkspaceLayout.isBackward(job.directoryState(), to)) {
      backward.run(() -> disk.rename(from, target));
    } else {
      disk.rename(from, target);
    }
    job.movedTo(to);
    unsynced.addDirectory(layout.of(to));
  }

  /** Moves a job that the rules ended to its final directory; everything is durable then. */
  private boolean finish(FsJob job, UnsyncedChanges unsynced) throws IOException {
    JobState end = job.fold().state();
    if (job.directoryState().isFinal() || end != JobState.COMPLETED && end != JobState.FAILED) {
      return false;
    }
    job.files().writeFinalFiles(job.at(), job.fold(), unsynced);
    commits.commit(unsynced);
    tidy(job);
    JobFiles.publish(job.at(), JobMetaFile.FILE);
    move(job, end, unsynced);
    commits.commit(unsynced.addDirectory(job.at().dir()));
    queue.remove(job.id());
    rate.finished(job.fold());
    job.takeUnneededJournals();
    return true;
  }

  /** Deletes what the ended job does not need: its end is in the log and cannot be undone. */
  private static void tidy(FsJob job) {
    try {
      job.files().deleteUnneeded(job.at(), job.fold());
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "job "
              + job.id()
              + ": cannot delete a file that is no longer needed: "
              + StoreErrors.explain(e));
    }
  }

  /**
   * Deletes journals whose tasks are durably completed, so that no attempt resumes from them. One
   * that remains is removed with the job's other files.
   */
  void deleteUnneeded() {
    if (unneeded.isEmpty()) {
      return;
    }
    long durable = commits.lastSync();
    for (UnneededFile next = unneeded.peek();
        next != null && next.commit() <= durable;
        next = unneeded.peek()) {
      if (unneeded.remove(next)) {
        delete(next.file());
      }
    }
  }

  private void delete(Path file) {
    try {
      disk.delete(file);
    } catch (NoSuchFileException e) {
      // it never existed, or the job moved
    } catch (IOException e) {
      LOG.log(Level.WARNING, file + " could not be removed: " + StoreErrors.explain(e));
    }
  }
}

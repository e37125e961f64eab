package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobView;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.ReadingMarks;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** Finds and deletes jobs that have ended. */
public final class EndedJobs {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** As many names as fit into a block of a directory: a full disk has no second one. */
  private static final int TRASH_SIZE = 100;

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final FsReader reader;
  private final GroupCommit commits;
  private final ReadingMarks marks;
  private final ReentrantLock moving;

  EndedJobs(
      Disk disk,
      WorkspaceLayout layout,
      FsReader reader,
      GroupCommit commits,
      ReadingMarks marks,
      Threading threading) {
    this.disk = disk;
    this.layout = layout;
    this.reader = reader;
    this.commits = commits;
    this.marks = marks;
    this.moving = threading.newLock();
  }

  /** Jobs in one of these final states that ended before that time. */
  List<JobId> before(Instant before, Set<JobState> states) {
    List<JobId> found = new ArrayList<>();
    try {
      for (JobState state : states) {
        if (state.isFinal()) {
          List<JobId> ids = new ArrayList<>();
          disk.list(
              layout.of(state),
              name -> {
                JobId.parse(name).ifPresent(ids::add);
                return true;
              });
          for (JobId id : ids) {
            if (endedBefore(id, state, before)) {
              found.add(id);
            }
          }
        }
      }
      return found;
    } catch (IOException e) {
      throw StoreErrors.of("cannot prune " + layout.root(), e);
    }
  }

  private boolean endedBefore(JobId id, JobState state, Instant before) throws IOException {
    Instant end = JobMetaFile.completedAt(JobMetaFile.read(disk, layout.of(state, id)));
    if (end == null) {
      try {
        end = reader.find(id).map(JobView::completedAt).orElse(null);
      } catch (JobException e) {
        end = disk.modified(layout.of(state, id)); // it is damaged: assume that it ended no earlier
      }
    }
    return end != null && end.isBefore(before);
  }

  /** Deletes jobs; those that have not ended are left alone. */
  void remove(Collection<JobId> ids, Consumer<JobId> removed) {
    List<JobId> all = List.copyOf(ids);
    for (int from = 0; from < all.size(); from += TRASH_SIZE) {
      removePart(all.subList(from, Math.min(all.size(), from + TRASH_SIZE)), removed);
    }
  }

  private void removePart(List<JobId> ids, Consumer<JobId> removed) {
    List<JobId> moved = new ArrayList<>();
    UnsyncedChanges unsynced = new UnsyncedChanges();
    try {
      try {
        for (JobId id : ids) {
          if (moveToTrash(id, unsynced)) {
            moved.add(id);
          }
        }
      } finally {
        commits.commit(unsynced);
        moved.forEach(removed);
      }
      emptyTrash(moved);
      marks.forget(moved);
    } catch (IOException e) {
      throw StoreErrors.of(
          ids.size() == 1 ? "cannot delete job " + ids.getFirst() : "cannot prune " + layout.root(),
          e);
    }
  }

  /**
   * Renames a job out of sight before deleting it, so that no reader sees half a job. One thread at
   * a time: another that deletes the same job must not take it for something left in the trash.
   */
  private boolean moveToTrash(JobId id, UnsyncedChanges unsynced) throws IOException {
    moving.lock();
    try {
      return moveToTrashAlone(id, unsynced);
    } finally {
      moving.unlock();
    }
  }

  private boolean moveToTrashAlone(JobId id, UnsyncedChanges unsynced) throws IOException {
    Optional<JobState> state = layout.lookUp(disk, id);
    if (state.isEmpty() || !state.get().isFinal()) {
      return false;
    }
    Path trash = trash(id);
    DirectoryDeleter.delete(disk, trash); // left by another job with the same id
    // First: if the rename is cut short, it may have happened, and is shown.
    unsynced.addDirectory(layout.of(state.get())).addDirectory(layout.internalPath("trash"));
    try {
      disk.rename(layout.of(state.get(), id), trash);
    } catch (NoSuchFileException e) {
      if (layout.lookUp(disk, id).isPresent()) {
        throw e;
      }
      return false; // it was deleted by hand
    }
    return true;
  }

  private Path trash(JobId id) {
    return layout.internalPath("trash").resolve(id.value());
  }

  private void emptyTrash(List<JobId> moved) throws IOException {
    for (JobId id : moved) {
      DirectoryDeleter.delete(disk, trash(id));
    }
  }

  /**
   * Deletes jobs that were moved to the trash before a crash, once that rename is durable. What
   * cannot be deleted stays there, and nobody sees it.
   */
  public void emptyTrash() throws IOException {
    List<String> names = new ArrayList<>();
    disk.list(layout.internalPath("trash"), names::add);
    if (!names.isEmpty()) {
      commits.commit(new UnsyncedChanges().addDirectory(layout.internalPath("trash")));
    }
    for (String name : names) {
      Path left = layout.internalPath("trash").resolve(name);
      try {
        DirectoryDeleter.delete(disk, left);
      } catch (IOException e) {
        LOG.log(Level.WARNING, left + " cannot be deleted: " + StoreErrors.explain(e));
      }
    }
  }
}

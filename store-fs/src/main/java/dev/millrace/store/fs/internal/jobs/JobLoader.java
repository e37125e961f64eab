package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.time.LogTimes;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.DuplicateJobException;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.ReadingMarks;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.RecentJobCache;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reads the jobs of a workspace into memory. Thread-safe. */
final class JobLoader {
  private final FsSettings settings;
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final ProcessTimeline timeline;
  private final ClaimQueue queue;
  private final ReadingMarks marks;

  /** The valid bytes of logs to which a write failed. */
  private final Map<JobId, Long> cut = new ConcurrentHashMap<>();

  /** Ended jobs to which a write failed: what it appended counts, but may not be durable. */
  private final Set<JobId> uncertain = ConcurrentHashMap.newKeySet();

  /** Ended jobs that were synced because an earlier owner may not have done so. */
  private final RecentJobCache<Boolean> synced = new RecentJobCache<>();

  private volatile boolean earlierSynced;

  /** Ended jobs as they were read. */
  private final RecentJobCache<JobOnDisk> seen = new RecentJobCache<>();

  JobLoader(FsSettings settings, ProcessTimeline timeline, ClaimQueue queue, ReadingMarks marks) {
    this.settings = settings;
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.timeline = timeline;
    this.queue = queue;
    this.marks = marks;
  }

  /** A write to the job failed: what was added to its log does not count. */
  void markInterrupted(FsJob job) {
    if (job.directoryState().isFinal()) {
      uncertain.add(job.id());
    } else {
      cut.put(job.id(), job.logLength());
    }
  }

  /**
   * Makes durable what earlier owners left, which may have been killed after a rename, or after an
   * entry that they added to an ended job. If the disk cannot sync everything at once, such entries
   * are synced when their job is first read.
   */
  void syncEarlier(GroupCommit commits) throws IOException {
    if (disk.syncAll()) {
      earlierSynced = true;
    } else {
      UnsyncedChanges names = new UnsyncedChanges();
      WorkspaceLayout.ORDER.forEach(state -> names.addDirectory(layout.of(state)));
      commits.commit(names);
    }
  }

  /**
   * Makes an ended job durable that an earlier owner may have changed right before it was killed,
   * once, so that it can be shown.
   */
  void syncEnded(JobId id, GroupCommit commits) throws IOException {
    if (!isSynced(id)) {
      Optional<JobState> state = layout.lookUp(disk, id);
      if (state.isPresent() && state.get().isFinal()) {
        commits.commit(changes(id, state.get()));
        synced.put(id, true, 0);
      }
    }
  }

  private boolean isSynced(JobId id) {
    return (earlierSynced || synced.get(id) != null) && !uncertain.contains(id);
  }

  private UnsyncedChanges changes(JobId id, JobState state) {
    JobDirectory at = new JobDirectory(disk, layout.of(state, id));
    return new UnsyncedChanges()
        .addFile(at.file(EventLog.FILE))
        .addDirectory(at.dir())
        .addDirectory(layout.of(state));
  }

  /**
   * Takes back what a failed write has left in a job's log, and makes the rest durable; the caller
   * sees to it that nobody reads or changes the job meanwhile.
   */
  void repair(JobId id, GroupCommit commits) throws IOException {
    Optional<JobState> state = layout.lookUp(disk, id);
    if (state.isPresent()) {
      JobDirectory at = new JobDirectory(disk, layout.of(state.get(), id));
      Long whole = cut.get(id);
      if (whole != null && !state.get().isFinal()) {
        EventLog.cut(at, whole);
      }
      commits.commit(changes(id, state.get()));
    }
  }

  /** Reads a job in any state; null if there is none. */
  @Nullable FsJob load(JobId id) {
    try {
      Optional<JobState> directoryState = layout.lookUp(disk, id);
      if (directoryState.isEmpty()) {
        return null;
      }
      requireOneDirectory(id, directoryState.get());
      FsJob job = new FsJob(id, settings, directoryState.get());
      if (directoryState.get().isFinal()) {
        loadEnded(job);
      } else {
        loadUnfinished(job);
      }
      return job;
    } catch (NoSuchFileException e) {
      return null; // it was just moved or removed
    } catch (EventLog.DamagedLogException e) {
      throw StoreErrors.ofJob("job " + id + " is damaged and skipped", e);
    } catch (IOException e) {
      throw StoreErrors.ofLoading("cannot read job " + id, e);
    } catch (UncheckedIOException e) {
      throw StoreErrors.ofLoading("cannot read job " + id, e.getCause());
    }
  }

  /** A job that has ended once must not run again because a copy of it came back. */
  private void requireOneDirectory(JobId id, JobState state) throws IOException {
    Optional<JobState> copy =
        state.isFinal() ? Optional.empty() : layout.lookUpCopy(disk, id, state);
    if (copy.isPresent()) {
      throw new DuplicateJobException(layout, state, copy.get());
    }
  }

  private void loadUnfinished(FsJob job) throws IOException {
    Long whole = cut.get(job.id());
    if (whole != null) {
      EventLog.cut(job.at(), whole); // else claims might count that no worker knows of
    }
    JobOnDisk read =
        marks.ofJob(
            job.id(),
            job.at().dir(),
            () ->
                JobOnDisk.read(job.location(), job, times(job), null, settings.recoveryCeiling()));
    job.load(read);
    // What this owner dropped from memory was durable; a sync for each of many idle jobs is slow.
    boolean letGo = job.directoryState().isOpen() && whole == null && queue.isKnown(job.id());
    if (!letGo || read.log().torn() != null) {
      LogRepair.run(read, layout, job.withEntries());
    }
    cut.remove(job.id());
  }

  private LogTimes times(FsJob job) {
    return timeline.of(job.id().toString());
  }

  /** An ended job is read from what is known of it. */
  private void loadEnded(FsJob job) throws IOException {
    JobOnDisk found =
        marks.ofJob(
            job.id(),
            job.at().dir(),
            () -> JobOnDisk.read(job.location(), job, times(job), seen.get(job.id()), null));
    if (found.log().length() > 0) {
      seen.put(job.id(), found, found.size());
    }
    job.load(found.copy());
    if (!isSynced(job.id())) {
      LogRepair.sync(found, layout, job.withEntries()); // a request that it has may be acknowledged
      uncertain.remove(job.id());
    }
  }
}

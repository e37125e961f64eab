package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.RecentJobCache;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Changes jobs in their final directories: completes a log, appends to it, deletes the job. One
 * thread at a time per job. Callers have checked that the job is not in memory; an ended job never
 * returns there.
 */
public final class EndedJobWriter {
  private static final Function<JobUpdate, Outcome> NOTHING_MORE = _ -> Outcome.DONE;

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final Supplier<Instant> clock;
  private final List<ReentrantLock> locks = Stream.generate(ReentrantLock::new).limit(64).toList();
  private final RecentJobCache<JobOnDisk> seen = new RecentJobCache<>();

  /** The sync that makes the last change of a job durable. */
  private final Map<JobId, Long> unsynced = new ConcurrentHashMap<>();

  public EndedJobWriter(
      Disk disk, WorkspaceLayout layout, GroupCommit commits, Supplier<Instant> clock) {
    this.disk = disk;
    this.layout = layout;
    this.commits = commits;
    this.clock = clock;
  }

  private interface Work<T> {
    T at(JobState directoryState) throws IOException;
  }

  private ReentrantLock lock(JobId id) {
    return locks.get(Math.floorMod(id.hashCode(), locks.size()));
  }

  /** Runs an action on an ended job; empty if the job is not in a final directory. */
  private <T> Optional<T> with(JobId id, Work<T> work) throws IOException {
    ReentrantLock lock = lock(id);
    lock.lock();
    try {
      Optional<JobState> directoryState = layout.lookUp(disk, id);
      return directoryState.isEmpty() || !directoryState.get().isFinal()
          ? Optional.empty()
          : Optional.of(work.at(directoryState.get()));
    } catch (NoSuchFileException e) {
      if (layout.lookUp(disk, id).isPresent()) {
        throw e;
      }
      return Optional.empty(); // it was deleted by hand
    } finally {
      lock.unlock();
    }
  }

  /**
   * The outcome of a rule.
   *
   * @param changed whether anything was appended to the job's log
   */
  public record Recorded(Outcome outcome, boolean changed) {}

  /**
   * Appends what the final directory of a job proves and its log lacks; true if that was anything.
   */
  boolean completeLog(JobId id) throws IOException {
    return record(id, NOTHING_MORE).map(Recorded::changed).orElse(false);
  }

  /**
   * Applies a rule and appends what it records; empty if the job has not ended or does not exist.
   */
  public Optional<Recorded> record(JobId id, Function<JobUpdate, Outcome> rule) throws IOException {
    UnsyncedChanges dirty = new UnsyncedChanges();
    Optional<Recorded> answer =
        with(
            id,
            directoryState -> {
              try {
                return append(id, directoryState, rule, dirty);
              } finally {
                if (!dirty.isEmpty()) {
                  commits.enlist(dirty);
                  unsynced.put(id, dirty.lastSync());
                }
              }
            });
    commits.commit(dirty);
    unsynced.remove(id, dirty.lastSync());
    return answer;
  }

  /** Returns when everything that can be read of a job now is durable. */
  public void awaitDurable(JobId id) {
    ReentrantLock lock = lock(id);
    lock.lock(); // a thread that appends to its log registers first
    Long batch;
    try {
      batch = unsynced.get(id);
    } finally {
      lock.unlock();
    }
    if (batch != null) {
      commits.awaitSync(batch);
    }
  }

  private Recorded append(
      JobId id, JobState directoryState, Function<JobUpdate, Outcome> rule, UnsyncedChanges dirty)
      throws IOException {
    ActiveJob job = new ActiveJob(id, disk, layout, directoryState);
    JobOnDisk found =
        JobOnDisk.read(job.location(), TransitionListener.IGNORED, seen.get(id), null);
    if (found.log().length() > 0) {
      seen.put(id, found, found.size());
    }
    JobOnDisk read = found.copy();
    List<LogEntry> entries =
        new ArrayList<>(
            read.reconcile(
                new JobUpdate(
                    read.fold(), read.time(clock.get()), JobUpdate.TemplateResolver.NONE)));
    JobUpdate update = new JobUpdate(read.fold(), clock.get(), JobUpdate.TemplateResolver.NONE);
    Outcome answer = rule.apply(update);
    entries.addAll(update.entries());
    if (!entries.isEmpty()) {
      dirty.add(JobRecovery.repairLog(disk, layout, read));
      job.unwritten().addAll(read.unwritten());
      JobWriter.append(job, entries, dirty);
    }
    return new Recorded(answer, !entries.isEmpty());
  }

  /** Moves a job out of sight, to be deleted; empty if it has not ended or does not exist. */
  public Optional<Path> remove(JobId id, UnsyncedChanges dirty) throws IOException {
    return with(
        id,
        directoryState -> {
          Path trash = layout.internalPath("trash").resolve(id.value());
          DirectoryDeleter.delete(disk, trash); // left by another job with the same id
          disk.rename(layout.of(directoryState, id), trash);
          dirty.addDirectory(layout.of(directoryState)).addDirectory(layout.internalPath("trash"));
          return trash;
        });
  }
}

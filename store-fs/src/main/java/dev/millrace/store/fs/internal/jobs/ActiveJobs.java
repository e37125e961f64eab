package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.StoreErrors;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Collection;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The jobs in the owner's memory: those that have started, and others while they are needed. A job
 * that moves is among them. Thread-safe.
 */
public final class ActiveJobs {
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final JobRecovery recovery;
  private final ConcurrentHashMap<JobId, ActiveJob> active = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<JobId, Long> interrupted = new ConcurrentHashMap<>();
  private final Object loading = new Object();

  ActiveJobs(Disk disk, WorkspaceLayout layout, GroupCommit commits, JobRecovery recovery) {
    this.disk = disk;
    this.layout = layout;
    this.commits = commits;
    this.recovery = recovery;
  }

  public Collection<ActiveJob> active() {
    return active.values();
  }

  /** Jobs for which a write failed: they may have to be finished. */
  public Set<JobId> interrupted() {
    return interrupted.keySet();
  }

  public boolean isActive(JobId id) {
    return active.containsKey(id);
  }

  @Nullable ActiveJob get(JobId id) {
    return active.get(id);
  }

  void forget(ActiveJob job) {
    job.forget();
    active.remove(job.id(), job);
  }

  /** Drops a job for which a write failed; its log is valid up to the last complete entry. */
  void markInterrupted(ActiveJob job) {
    forget(job);
    interrupted.put(job.id(), job.logLength());
  }

  /** The job in memory, read from disk if necessary; null if it has ended or does not exist. */
  @Nullable ActiveJob find(JobId id, UnsyncedChanges notify) {
    ActiveJob job = active.get(id);
    if (job == null) {
      synchronized (loading) {
        job = active.get(id);
        if (job == null) {
          job = load(id, notify);
          if (job != null) {
            active.put(id, job);
          }
        }
      }
    }
    return job;
  }

  /** Reads a job into memory and completes what a crash or another process left unfinished. */
  private @Nullable ActiveJob load(JobId id, UnsyncedChanges notify) {
    try {
      Optional<JobState> directoryState = layout.lookUp(disk, id);
      if (directoryState.isEmpty() || directoryState.get().isFinal()) {
        return null;
      }
      ActiveJob job = new ActiveJob(id, disk, layout, directoryState.get());
      Long whole = interrupted.get(id);
      if (whole != null) {
        EventLog.cut(job.at(), whole); // else claims might count that no worker knows of
      }
      boolean continues = recovery.recover(job, notify, whole != null);
      interrupted.remove(id);
      return continues ? job : null;
    } catch (NoSuchFileException e) {
      return null; // it was just moved or removed
    } catch (EventLog.DamagedLogException e) {
      throw StoreErrors.ofJob("job " + id + " is damaged and skipped", e);
    } catch (IOException e) {
      throw StoreErrors.ofJob("cannot read job " + id, e);
    } catch (UncheckedIOException e) {
      throw StoreErrors.of("cannot read job " + id, e.getCause());
    }
  }

  /** Reads something of a job, with its lock held. */
  @FunctionalInterface
  public interface JobRead<T> {
    T at(ActiveJob job) throws IOException;
  }

  /**
   * Reads a job in memory, and returns only when what was read is durable.
   *
   * @return empty if it is not in memory or has moved: then read its files
   */
  public <T> Optional<T> readIfActive(JobId id, JobRead<T> look) {
    ActiveJob job = active.get(id);
    if (job == null) {
      return Optional.empty();
    }
    T answer;
    long batch;
    job.lock.lock();
    try {
      if (job.isForgotten() || disk.kind(job.at().dir()) != Disk.Kind.DIRECTORY) {
        return Optional.empty();
      }
      answer = look.at(job);
      batch = job.lastSync();
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StoreErrors.ofJob("cannot read job " + id, e);
    } finally {
      job.lock.unlock();
    }
    commits.awaitSync(batch);
    return Optional.of(answer);
  }

  /** Whether it is in a state in which a worker can have one of its tasks. */
  public boolean mayRun(JobId id) {
    try {
      JobState directoryState = locate(id).orElse(JobState.ABORTED);
      return directoryState == JobState.IN_PROGRESS || directoryState == JobState.PAUSED;
    } catch (IOException e) {
      throw StoreErrors.of("cannot look for " + id, e);
    }
  }

  /** The job's state, reliably. A job in memory that was deleted by hand is dropped. */
  public Optional<JobState> locate(JobId id) throws IOException {
    Optional<JobState> directoryState = layout.lookUp(disk, id);
    ActiveJob job = directoryState.isEmpty() ? active.get(id) : null;
    if (job != null) {
      job.lock.lock(); // with its lock held it does not move
      try {
        directoryState = layout.lookUp(disk, id);
        if (directoryState.isEmpty()) {
          forget(job);
        }
      } finally {
        job.lock.unlock();
      }
    }
    return directoryState.isPresent() ? directoryState : layout.lookUp(disk, id);
  }
}

package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Subscription;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Notifies watchers of changes to jobs, once they are durable and the thread holds no job's lock.
 * Thread-safe.
 */
public final class ChangeNotifier {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final GroupCommit commits;
  private final List<Consumer<JobId>> watchers = new CopyOnWriteArrayList<>();
  private final Map<JobId, Long> unstopped = new ConcurrentHashMap<>();
  private final Map<JobId, Long> unnotified = new ConcurrentHashMap<>();
  private volatile Consumer<JobId> levers = _ -> {};

  ChangeNotifier(GroupCommit commits) {
    this.commits = commits;
  }

  /** Sets the watcher for stopped jobs with running tasks. */
  public void onLever(Consumer<JobId> watcher) {
    levers = watcher;
  }

  /** Adds a watcher for all changes. */
  public Subscription onChange(Consumer<JobId> watcher) {
    Consumer<JobId> own = watcher::accept; // the same watcher may be added twice
    watchers.add(own);
    return () -> watchers.remove(own);
  }

  /** Notifies of steps whose {@code unsynced} is durable by now. */
  public void notifyWatchers(UnsyncedChanges unsynced) {
    unsynced.jobsWithLever().forEach(this::stopped);
    unsynced.jobsWithLever().clear();
    unsynced.changedJobs().forEach(this::changed);
    unsynced.changedJobs().clear();
    notifyIfSynced();
  }

  /** Notifies of steps that wait for no sync, once someone has synced them. */
  void notifyAfterSync(UnsyncedChanges unsynced) {
    unsynced.jobsWithLever().forEach(id -> unstopped.merge(id, unsynced.lastSync(), Math::max));
    unsynced.jobsWithLever().clear();
    unsynced.changedJobs().forEach(id -> unnotified.merge(id, unsynced.lastSync(), Math::max));
    unsynced.changedJobs().clear();
  }

  /** Notifies of what was deferred and is durable by now. */
  public void notifyIfSynced() {
    notifyIfSynced(unstopped, this::stopped);
    notifyIfSynced(unnotified, this::changed);
  }

  private void notifyIfSynced(Map<JobId, Long> left, Consumer<JobId> action) {
    if (!left.isEmpty()) {
      long synced = commits.lastSync();
      left.forEach(
          (id, batch) -> {
            if (batch <= synced && left.remove(id, batch)) {
              action.accept(id);
            }
          });
    }
  }

  void stopped(JobId id) {
    notifyWatchers(levers, id);
  }

  public void changed(JobId id) {
    watchers.forEach(watcher -> notifyWatchers(watcher, id));
  }

  private static void notifyWatchers(Consumer<JobId> watcher, JobId id) {
    try {
      watcher.accept(id);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "job " + id + ": watchers were not notified at once", e);
    }
  }
}

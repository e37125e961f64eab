package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Subscription;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Passes on what has happened to jobs, as soon as it is durable and the thread that did it holds no
 * job's lock. Thread-safe.
 */
final class Bulletin {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final GroupCommit commits;
  private final List<Consumer<JobId>> watchers = new CopyOnWriteArrayList<>();
  private final Map<JobId, Long> unstopped = new ConcurrentHashMap<>();
  private final Map<JobId, Long> untold = new ConcurrentHashMap<>();
  private volatile Consumer<JobId> levers = _ -> {};

  Bulletin(GroupCommit commits) {
    this.commits = commits;
  }

  /** Whom to tell that a job with running tasks was stopped. */
  void onLever(Consumer<JobId> watcher) {
    levers = watcher;
  }

  /** Whom to tell of every change. */
  Subscription onChange(Consumer<JobId> watcher) {
    Consumer<JobId> own = watcher::accept; // the same one may watch twice
    watchers.add(own);
    return () -> watchers.remove(own);
  }

  /** Tells what happened in steps whose {@code dirty} is durable by now. */
  void tell(Dirty dirty) {
    dirty.levers().forEach(this::stopped);
    dirty.levers().clear();
    dirty.changed().forEach(this::changed);
    dirty.changed().clear();
    tellDue();
  }

  /** Tells, when somebody has synced it, what happened in steps that wait for no sync. */
  void tellLater(Dirty dirty) {
    dirty.levers().forEach(id -> unstopped.merge(id, dirty.batch(), Math::max));
    dirty.levers().clear();
    dirty.changed().forEach(id -> untold.merge(id, dirty.batch(), Math::max));
    dirty.changed().clear();
  }

  /** Tells what was left for later and is durable by now. */
  void tellDue() {
    tellDue(unstopped, this::stopped);
    tellDue(untold, this::changed);
  }

  private void tellDue(Map<JobId, Long> left, Consumer<JobId> telling) {
    if (!left.isEmpty()) {
      long synced = commits.synced();
      left.forEach(
          (id, batch) -> {
            if (batch <= synced && left.remove(id, batch)) {
              telling.accept(id);
            }
          });
    }
  }

  void stopped(JobId id) {
    tell(levers, id);
  }

  void changed(JobId id) {
    watchers.forEach(watcher -> tell(watcher, id));
  }

  private static void tell(Consumer<JobId> watcher, JobId id) {
    try {
      watcher.accept(id);
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "job " + id + ": its watchers were not told at once", e);
    }
  }
}

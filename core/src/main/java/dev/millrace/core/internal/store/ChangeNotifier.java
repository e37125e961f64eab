package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Subscription;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Notifies watchers of changes to jobs, once they are durable and the thread holds no job's lock.
 * Thread-safe.
 */
public final class ChangeNotifier {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final LongSupplier lastDurable;
  private final List<Consumer<JobId>> watchers = new CopyOnWriteArrayList<>();
  private final Map<JobId, Long> unstopped = new ConcurrentHashMap<>();
  private final Map<JobId, Long> unnotified = new ConcurrentHashMap<>();
  private volatile Consumer<JobId> levers = _ -> {};

  /**
   * @param lastDurable the last durable commit
   */
  ChangeNotifier(LongSupplier lastDurable) {
    this.lastDurable = lastDurable;
  }

  /** Sets the watcher for stopped jobs with running tasks. */
  void onLever(Consumer<JobId> watcher) {
    levers = watcher;
  }

  /** Adds a watcher for all changes. */
  Subscription onChange(Consumer<JobId> watcher) {
    Consumer<JobId> own = watcher::accept; // the same watcher may be added twice
    watchers.add(own);
    return () -> watchers.remove(own);
  }

  /** Notifies of steps that are durable by now. */
  void notifyWatchers(StepBatch batch) {
    batch.stopped().forEach(this::stopped);
    batch.stopped().clear();
    batch.changed().forEach(this::changed);
    batch.changed().clear();
    notifyIfDurable();
  }

  /** Notifies of steps that no one waits for, now or once they are durable. */
  void notifyLater(StepBatch batch) {
    if (batch.commit() <= lastDurable.getAsLong()) {
      notifyWatchers(batch);
      return;
    }
    batch.stopped().forEach(id -> unstopped.merge(id, batch.commit(), Math::max));
    batch.changed().forEach(id -> unnotified.merge(id, batch.commit(), Math::max));
  }

  /** Notifies of what was deferred and is durable by now. */
  void notifyIfDurable() {
    notifyIfDurable(unstopped, this::stopped);
    notifyIfDurable(unnotified, this::changed);
  }

  private void notifyIfDurable(Map<JobId, Long> left, Consumer<JobId> action) {
    if (!left.isEmpty()) {
      long durable = lastDurable.getAsLong();
      left.forEach(
          (id, commit) -> {
            if (commit <= durable && left.remove(id, commit)) {
              action.accept(id);
            }
          });
    }
  }

  void stopped(JobId id) {
    notify(levers, id);
  }

  /** Notifies of a change that is durable. */
  public void changed(JobId id) {
    watchers.forEach(watcher -> notify(watcher, id));
  }

  private static void notify(Consumer<JobId> watcher, JobId id) {
    try {
      watcher.accept(id);
    } catch (RuntimeException | Error e) { // the change is durable, whatever a watcher does
      LOG.log(Level.WARNING, "job " + id + ": watchers were not notified at once", e);
    }
  }
}

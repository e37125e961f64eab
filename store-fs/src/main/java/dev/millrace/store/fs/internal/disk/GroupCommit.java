package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.store.StoreBrokenException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Syncs for many at once. Whoever comes while nobody syncs does it at once, for itself; whoever comes
 * meanwhile waits and shares the next sync. After a failed sync nothing can be vouched for (the
 * system forgets what it could not write): every later commit is refused.
 */
public final class GroupCommit {
  private static final long LONGEST_GATHERING = 3_000_000;

  private final Disk disk;
  private final Executor syncer = syncer();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition done = lock.newCondition();
  private final Condition came = lock.newCondition();
  private UnsyncedChanges waiting = new UnsyncedChanges();
  private long nextBatch = 1;
  private volatile long syncedBatch;
  private boolean syncing;
  private int waiters;
  private int lastWaiters;
  private long lastNanos;
  private volatile @Nullable IOException failure;
  private volatile boolean disowned;

  public GroupCommit(Disk disk) {
    this.disk = disk;
  }

  /**
   * Hands {@code dirty} over to the next sync, whoever does it. A job's holder does so before letting
   * go of it: whoever renames the job next then commits no sooner than this is durable.
   */
  public void enlist(UnsyncedChanges unsynced) {
    if (!unsynced.isEmpty()) {
      lock.lock();
      try {
        waiting.add(unsynced);
        unsynced.enlistedIn(nextBatch);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns once everything that was ever in {@code dirty} is durable. */
  public void commit(UnsyncedChanges unsynced) {
    enlist(unsynced);
    requireIntact();
    awaitSync(unsynced.lastSync());
  }

  /** The last sync that was done: what was enlisted for it, or for one before, is durable. */
  public long lastSync() {
    return syncedBatch;
  }

  /** Returns once all is durable that was enlisted so far; syncs nothing if nothing was. */
  public void awaitEnlisted() {
    long last;
    lock.lock();
    try {
      last = waiting.isEmpty() ? nextBatch - 1 : nextBatch;
    } finally {
      lock.unlock();
    }
    awaitSync(last);
  }

  /** Returns once that sync was done, by whomever. */
  public void awaitSync(long batch) {
    if (batch <= syncedBatch) {
      return;
    }
    lock.lock();
    try {
      waiters++;
      came.signal();
      while (syncedBatch < batch) {
        requireIntact();
        if (syncing) {
          done.awaitUninterruptibly();
        } else {
          syncWaiting();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** One platform thread, while there is something to do. */
  private static Executor syncer() {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().name("sync").daemon().factory());
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** Called with the lock held, which it lets go while the disk works. */
  private void syncWaiting() {
    syncing = true;
    gather();
    UnsyncedChanges batch = waiting;
    long number = nextBatch++;
    waiting = new UnsyncedChanges();
    lastWaiters = waiters;
    waiters = 0;
    lock.unlock();
    long start = System.nanoTime();
    // Whatever else is thrown: those who share this sync must not take the next one for theirs.
    IOException problem = new IOException("it was cut short");
    try {
      problem = sync(batch);
    } finally {
      lock.lock();
      syncing = false;
      lastNanos = System.nanoTime() - start;
      if (problem != null) {
        failure = problem;
      } else {
        syncedBatch = number;
      }
      done.signalAll();
    }
  }

  /**
   * Those who shared the last sync are mostly back soon. Waiting for them, at most half as long as
   * that sync took, makes few large syncs out of many small ones; whoever is alone never waits.
   */
  private void gather() {
    long left = Math.min(lastNanos / 2, LONGEST_GATHERING);
    try {
      while (waiters < lastWaiters - lastWaiters / 4 && left > 0) {
        left = came.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // then sync what there is
    }
  }

  /** A native call holds on to the carrier of a virtual thread: another thread waits for it then. */
  private @Nullable IOException sync(UnsyncedChanges batch) {
    return Thread.currentThread().isVirtual()
        ? CompletableFuture.supplyAsync(() -> syncHere(batch), syncer).join()
        : syncHere(batch);
  }

  private @Nullable IOException syncHere(UnsyncedChanges batch) {
    try {
      batch.sync(disk);
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  /** Refuses everything from now on: somebody else may own what we would write. */
  public void refuseCommits(IOException problem) {
    disowned = true;
    failure = problem;
  }

  /** Throws if a sync has failed. */
  public void requireIntact() {
    IOException problem = failure;
    if (problem != null && disowned) {
      throw new StoreBrokenException(
          problem.getMessage() + "; this one stops, and what it had in hand runs again", problem);
    }
    if (problem != null) {
      throw new StoreBrokenException(
          "a sync failed ("
              + problem.getMessage()
              + "): the disk may have lost what was written; check it, then start again",
          problem);
    }
  }
}

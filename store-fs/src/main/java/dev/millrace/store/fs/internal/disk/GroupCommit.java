package dev.millrace.store.fs.internal.disk;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.core.store.StoreBrokenException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Syncs changes of many threads together. A thread that comes while no sync is running syncs at
 * once; threads that come during a sync wait and share the next one. After a failed sync every
 * later commit is refused: the system forgets what it could not write, so nothing is certain any
 * more.
 */
public final class GroupCommit {
  private static final long LONGEST_GATHERING = 3_000_000;

  private final Disk disk;
  private final Threading threading;
  private final Executor syncer = syncer();
  private final ReentrantLock lock;
  private final Condition done;
  private final Condition came;
  private UnsyncedChanges waiting = new UnsyncedChanges();
  private long nextBatch = 1;
  private volatile long syncedBatch;
  private boolean syncing;
  private int waiters;
  private int lastWaiters;
  private long lastNanos;
  private volatile @Nullable IOException failure;
  private volatile boolean disowned;

  public GroupCommit(Disk disk, Threading threading) {
    this.disk = disk;
    this.threading = threading;
    this.lock = threading.newLock();
    this.done = lock.newCondition();
    this.came = lock.newCondition();
  }

  /**
   * Adds {@code unsynced} to the next sync, on whichever thread that runs. The holder of a job's
   * lock does so before unlocking, so that the next rename of the job is committed no earlier than
   * this is durable.
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

  /** Returns when everything that was ever in {@code unsynced} is durable. */
  public void commit(UnsyncedChanges unsynced) {
    enlist(unsynced);
    requireIntact();
    awaitSync(unsynced.lastSync());
  }

  /** The last completed sync: what was added to it or to an earlier one is durable. */
  public long lastSync() {
    return syncedBatch;
  }

  /** Returns when that sync is done, on whichever thread. */
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

  /** Runs on one platform thread, while there is something to sync. */
  private static Executor syncer() {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            MonitoredThreads.work().name("sync").factory());
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** Call with the lock held; it is released while the disk works. */
  private void syncWaiting() {
    UnsyncedChanges next = new UnsyncedChanges();
    // On any throwable: threads that share this sync must not take the next one for theirs.
    IOException problem = new IOException("it was cut short");
    syncing = true; // from here on nothing needs memory until the others can be told
    gather();
    UnsyncedChanges batch = waiting;
    long number = nextBatch++;
    waiting = next;
    lastWaiters = waiters;
    waiters = 0;
    lock.unlock();
    long start = threading.nanoTime();
    try {
      problem = sync(batch);
    } catch (RuntimeException | Error e) { // whether the disk has it is uncertain
      problem.initCause(e);
      throw e;
    } finally {
      lock.lock();
      syncing = false;
      lastNanos = threading.nanoTime() - start;
      if (problem != null) {
        failure = problem;
      } else {
        syncedBatch = number;
      }
      done.signalAll();
    }
  }

  /**
   * Waits for the threads that shared the last sync, which mostly come back soon. This wait, at
   * most half as long as that sync took, makes few large syncs out of many small ones; a single
   * thread never waits.
   */
  private void gather() {
    long left = Math.min(lastNanos / 2, LONGEST_GATHERING);
    try {
      while (waiters < lastWaiters - lastWaiters / 4 && left > 0) {
        left = came.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // then sync what there is
    } catch (Error e) {
      // the wait only saves syncs, and needs memory: sync what there is
    }
  }

  /** A native call pins the carrier of a virtual thread, so another thread makes it. */
  private @Nullable IOException sync(UnsyncedChanges batch) {
    if (!Thread.currentThread().isVirtual()) {
      return syncHere(batch);
    }
    try {
      return CompletableFuture.supplyAsync(() -> syncHere(batch), syncer).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof Error error) {
        throw error; // as on any other thread
      }
      throw e;
    }
  }

  private @Nullable IOException syncHere(UnsyncedChanges batch) {
    try {
      batch.sync(disk);
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  /** Refuses every later commit, because another process may own the files now. */
  public void refuseCommits(IOException problem) {
    disowned = true;
    failure = problem;
  }

  /** Throws if a sync has failed. */
  public void requireIntact() {
    IOException problem = failure;
    if (problem != null && disowned) {
      throw new StoreBrokenException(
          problem.getMessage() + "; this server stops, and its running tasks run again", problem);
    }
    if (problem != null) {
      throw new StoreBrokenException(
          "a sync failed ("
              + problem.getMessage()
              + (problem.getCause() instanceof Error error ? " by " + error : "")
              + "): the disk may have lost what was written; check it, then start again",
          problem);
    }
  }
}

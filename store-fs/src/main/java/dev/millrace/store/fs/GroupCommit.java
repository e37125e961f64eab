package dev.millrace.store.fs;

import dev.millrace.core.store.StoreBroken;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Syncs for many at once. Whoever comes while nobody syncs does it at once, for itself; whoever comes
 * meanwhile waits and shares the next sync. After a failed sync nothing can be vouched for (the
 * system forgets what it could not write): every later commit is refused.
 */
final class GroupCommit {
  private final Disk disk;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition done = lock.newCondition();
  private Dirty waiting = new Dirty();
  private long nextBatch = 1;
  private long syncedBatch;
  private boolean syncing;
  private volatile @Nullable IOException failure;

  GroupCommit(Disk disk) {
    this.disk = disk;
  }

  /**
   * Hands {@code dirty} over to the next sync, whoever does it. A job's holder does so before letting
   * go of it: whoever renames the job next then commits no sooner than this is durable.
   */
  void enlist(Dirty dirty) {
    if (!dirty.isEmpty()) {
      lock.lock();
      try {
        waiting.add(dirty);
        dirty.enlisted(nextBatch);
      } finally {
        lock.unlock();
      }
    }
  }

  /** Returns once everything that was ever in {@code dirty} is durable. */
  void commit(Dirty dirty) {
    enlist(dirty);
    lock.lock();
    try {
      check();
      while (syncedBatch < dirty.batch()) {
        check();
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

  /** Called with the lock held, which it lets go while the disk works. */
  private void syncWaiting() {
    Dirty batch = waiting;
    long number = nextBatch++;
    waiting = new Dirty();
    syncing = true;
    lock.unlock();
    // Whatever else is thrown: those who share this sync must not take the next one for theirs.
    IOException problem = new IOException("it was cut short");
    try {
      problem = sync(batch);
    } finally {
      lock.lock();
      syncing = false;
      if (problem != null) {
        failure = problem;
      } else {
        syncedBatch = number;
      }
      done.signalAll();
    }
  }

  private @Nullable IOException sync(Dirty batch) {
    if (Thread.currentThread().isVirtual()) {
      // A native call holds on to the carrier of a virtual thread: let another thread wait for it.
      CompletableFuture<@Nullable IOException> done = new CompletableFuture<>();
      Thread.ofPlatform().name("sync").daemon().start(() -> {
        try {
          done.complete(syncHere(batch));
        } catch (Throwable e) {
          done.completeExceptionally(e);
        }
      });
      return done.join();
    }
    return syncHere(batch);
  }

  private @Nullable IOException syncHere(Dirty batch) {
    try {
      batch.sync(disk);
      return null;
    } catch (IOException e) {
      return e;
    }
  }

  /** Throws if a sync has failed. */
  void check() {
    IOException problem = failure;
    if (problem != null) {
      throw new StoreBroken("a sync failed (" + problem.getMessage()
          + "): the disk may have lost what was written; check it, then start again", problem);
    }
  }
}

package dev.millrace.http.webhook;

import dev.millrace.core.job.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded set of changed jobs that are not processed yet. If it overflows, it only remembers that
 * it did. Thread-safe; {@link #add} is cheap, because threads of the store call it.
 */
final class ChangedJobs {
  private final int capacity;
  private final Set<JobId> jobs = new LinkedHashSet<>(); // guarded by lock
  private boolean overflowed; // guarded by lock
  private boolean woken; // guarded by lock
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();

  ChangedJobs(int capacity) {
    this.capacity = capacity;
  }

  void add(JobId job) {
    lock.lock();
    try {
      if (jobs.size() >= capacity && !jobs.contains(job)) {
        overflowed = true;
      } else {
        jobs.add(job);
      }
      change.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Wakes the waiting thread, without a job. */
  void wakeUp() {
    lock.lock();
    try {
      woken = true;
      change.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Removes and returns some of the jobs. */
  List<JobId> take(int max) {
    lock.lock();
    try {
      List<JobId> taken = new ArrayList<>();
      Iterator<JobId> iterator = jobs.iterator();
      while (taken.size() < max && iterator.hasNext()) {
        taken.add(iterator.next());
        iterator.remove();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Whether jobs were lost since the last call. */
  boolean takeOverflow() {
    lock.lock();
    try {
      boolean overflow = overflowed;
      overflowed = false;
      return overflow;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a job or {@link #wakeUp}, at most that long. */
  void await(Duration atMost) throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (!woken && jobs.isEmpty() && left > 0) {
        left = change.awaitNanos(left);
      }
      woken = false;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for {@link #wakeUp} only, so that jobs that change meanwhile are processed together. */
  void pause(Duration atMost) throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (!woken && left > 0) {
        left = change.awaitNanos(left);
      }
      woken = false;
    } finally {
      lock.unlock();
    }
  }
}

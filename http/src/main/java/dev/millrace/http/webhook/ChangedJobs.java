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
 * Jobs that something happened to, each once, until somebody looks; more than fit are not kept, but
 * that there were more is. Thread-safe; telling it costs little, for a store's own threads do.
 */
final class ChangedJobs {
  private final int capacity;
  private final Set<JobId> jobs = new LinkedHashSet<>(); // guarded by lock
  private boolean missed; // guarded by lock
  private boolean nudged; // guarded by lock
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition news = lock.newCondition();

  ChangedJobs(int capacity) {
    this.capacity = capacity;
  }

  void add(JobId job) {
    lock.lock();
    try {
      if (jobs.size() >= capacity && !jobs.contains(job)) {
        missed = true;
      } else {
        jobs.add(job);
      }
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Something else is to be looked at. */
  void wakeUp() {
    lock.lock();
    try {
      nudged = true;
      news.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Some of them, which are forgotten here. */
  List<JobId> take(int most) {
    lock.lock();
    try {
      List<JobId> taken = new ArrayList<>();
      Iterator<JobId> all = jobs.iterator();
      while (taken.size() < most && all.hasNext()) {
        taken.add(all.next());
        all.remove();
      }
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Whether there were more than fit since this was asked last. */
  boolean takeOverflow() {
    lock.lock();
    try {
      boolean was = missed;
      missed = false;
      return was;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for news, at most that long. */
  void await(Duration atMost) throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (!nudged && jobs.isEmpty() && left > 0) {
        left = news.awaitNanos(left);
      }
      nudged = false;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for a nudge, at most that long: jobs that change meanwhile are looked at together. */
  void pause(Duration atMost) throws InterruptedException {
    lock.lock();
    try {
      long left = atMost.toNanos();
      while (!nudged && left > 0) {
        left = news.awaitNanos(left);
      }
      nudged = false;
    } finally {
      lock.unlock();
    }
  }
}

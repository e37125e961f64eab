package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that have something to claim, by type, in claim order. Holds no job, only names and
 * places in the queue: about 200 bytes for each job that waits. Thread-safe.
 */
final class ClaimQueue {

  /** A job that may have something to claim. */
  record Candidate(long place, JobId id, String type) {
    static final Comparator<Candidate> ORDER =
        Comparator.comparingLong(Candidate::place).thenComparing(Candidate::id);
  }

  private record Deadline(Instant at, JobId id) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Map<String, NavigableSet<Candidate>> byType = new ConcurrentHashMap<>();
  private final Map<JobId, Candidate> byId = new ConcurrentHashMap<>();
  private final PriorityQueue<Instant> wakeups = new PriorityQueue<>();
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(Comparator.comparing(Deadline::at));
  private long arrivals;
  private long seen;

  /** Puts the job where it belongs now; a null {@code type} takes it out. */
  void set(JobId id, long place, @Nullable String type) {
    lock.lock();
    try {
      Candidate old = byId.get(id);
      if (old != null && old.type().equals(type)) {
        return;
      }
      if (old != null) {
        remove(old);
      }
      if (type != null) {
        Candidate candidate = new Candidate(place, id, type);
        byId.put(id, candidate);
        byType
            .computeIfAbsent(type, t -> new ConcurrentSkipListSet<>(Candidate.ORDER))
            .add(candidate);
        signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes out exactly this candidate, not one that has replaced it. */
  void drop(Candidate candidate) {
    lock.lock();
    try {
      if (byId.get(candidate.id()) == candidate) {
        remove(candidate);
      }
    } finally {
      lock.unlock();
    }
  }

  private void remove(Candidate candidate) {
    byId.remove(candidate.id());
    NavigableSet<Candidate> same = byType.get(candidate.type());
    same.remove(candidate);
    if (same.isEmpty()) {
      byType.remove(candidate.type());
    }
  }

  boolean knows(JobId id) {
    return byId.containsKey(id);
  }

  /** The first in claim order of any of these types that is not in {@code skipped}. */
  @Nullable Candidate first(Set<String> types, Set<JobId> skipped) {
    lock.lock();
    try {
      Candidate best = null;
      for (String type : types) {
        for (Candidate candidate : byType.getOrDefault(type, Collections.emptyNavigableSet())) {
          if (!skipped.contains(candidate.id())) {
            if (best == null || Candidate.ORDER.compare(candidate, best) < 0) {
              best = candidate;
            }
            break;
          }
        }
      }
      return best;
    } finally {
      lock.unlock();
    }
  }

  boolean isEmpty(Set<String> types) {
    lock.lock();
    try {
      return types.stream().noneMatch(byType::containsKey);
    } finally {
      lock.unlock();
    }
  }

  /**
   * How many come before the job in claim order; -1 if it has nothing to claim. It counts them one
   * by one, so nobody waits for it: what comes and goes meanwhile may count or not.
   */
  int ahead(JobId id) {
    Candidate own = byId.get(id);
    if (own == null) {
      return -1;
    }
    int ahead = 0;
    for (NavigableSet<Candidate> same : byType.values()) {
      ahead += same.headSet(own).size();
    }
    return ahead;
  }

  int size() {
    return byId.size();
  }

  /** A backoff ends then. */
  void wakeAt(Instant time) {
    lock.lock();
    try {
      wakeups.add(time);
      signal();
    } finally {
      lock.unlock();
    }
  }

  /** A job that waits has a queue timeout. */
  void expireAt(Instant time, JobId id) {
    lock.lock();
    try {
      deadlines.add(new Deadline(time, id));
    } finally {
      lock.unlock();
    }
  }

  /** The next job whose queue timeout may be over, each at most once. */
  @Nullable JobId overdue(Instant now) {
    lock.lock();
    try {
      Deadline next = deadlines.peek();
      return next == null || now.isBefore(next.at()) ? null : deadlines.remove().id();
    } finally {
      lock.unlock();
    }
  }

  private void signal() {
    arrivals++;
    arrived.signalAll();
  }

  /**
   * Waits for something that arrived since the last time this returned, or for a backoff to end.
   */
  void await(Instant now, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!wakeups.isEmpty() && !now.isBefore(wakeups.peek())) {
        wakeups.remove();
        seen = arrivals - 1;
      }
      long nanos = atMost.toNanos();
      if (!wakeups.isEmpty()) {
        nanos = Math.min(nanos, Duration.between(now, wakeups.peek()).toNanos() + 1_000_000);
      }
      while (arrivals == seen && nanos > 0) {
        nanos = arrived.awaitNanos(nanos);
      }
      seen = arrivals;
    } finally {
      lock.unlock();
    }
  }

  /** Wakes whoever waits. */
  void wake() {
    lock.lock();
    try {
      signal();
    } finally {
      lock.unlock();
    }
  }
}

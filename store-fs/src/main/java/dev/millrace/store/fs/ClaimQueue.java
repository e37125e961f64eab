package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that have something to claim, by type, in claim order. Holds no job, only names and
 * places in the queue: about 200 bytes for each job that waits. Thread-safe.
 */
final class ClaimQueue {

  /**
   * A job that may have something to claim.
   *
   * @param tasks how many wait, of a job that was never touched; 0: whoever has the job knows
   */
  record Candidate(long place, JobId id, String type, Priority priority, int tasks) {
    static final Comparator<Candidate> ORDER =
        Comparator.comparingLong(Candidate::place).thenComparing(Candidate::id);

    static Candidate of(JobId id, String type, Priority priority, Instant created, int tasks) {
      return new Candidate(priority.place(created), id, type, priority, tasks);
    }

    /** When the job was created. */
    Instant created() {
      long micros = place - priority.place(Instant.EPOCH);
      return Instant.EPOCH
          .plusSeconds(Math.floorDiv(micros, 1_000_000L))
          .plusNanos(Math.floorMod(micros, 1_000_000L) * 1_000);
    }
  }

  private record Deadline(Instant at, JobId id) {}

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Map<String, NavigableSet<Candidate>> byType = new ConcurrentHashMap<>();
  private final Map<JobId, Candidate> byId = new ConcurrentHashMap<>();
  private final PriorityQueue<Instant> wakeups = new PriorityQueue<>();
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(Comparator.comparing(Deadline::at));
  private long arrivals = 1;

  /**
   * Puts a job where it belongs now.
   *
   * @param more whether it has something to claim that it had not before
   */
  void set(Candidate candidate, boolean more) {
    lock.lock();
    try {
      Candidate old = byId.get(candidate.id());
      boolean moves =
          old == null || !old.type().equals(candidate.type()) || old.place() != candidate.place();
      if (moves) {
        if (old != null) {
          remove(old);
        }
        byId.put(candidate.id(), candidate);
        byType
            .computeIfAbsent(candidate.type(), t -> new ConcurrentSkipListSet<>(Candidate.ORDER))
            .add(candidate);
      }
      if (moves || more) {
        signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** The job has nothing to claim. */
  void remove(JobId id) {
    lock.lock();
    try {
      Candidate old = byId.get(id);
      if (old != null) {
        remove(old);
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

  /** All of them in no order; nobody waits for it, so what comes and goes may be met or not. */
  void forEach(Consumer<Candidate> visitor) {
    byId.values().forEach(visitor);
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
      arrived.signalAll(); // who waits may have to wait less long
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
   * Waits for something that arrived since {@code seen} was answered, or for a backoff to end. Any
   * number may wait: each remembers for itself what it has seen.
   */
  long await(Supplier<Instant> clock, long seen, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = atMost.toNanos();
      boolean over = false;
      while (arrivals == seen && left > 0 && !over) {
        long until = passWakeups(clock.get());
        if (arrivals == seen) {
          long slice = Math.min(left, until);
          long rest = arrived.awaitNanos(slice);
          left -= slice - rest;
          over = rest <= 0 && slice == until; // a clock that is stepped by hand may not say so
        }
      }
      return arrivals;
    } finally {
      lock.unlock();
    }
  }

  /** Lets those in whose backoff is over, and answers how long the next one takes. */
  private long passWakeups(Instant now) {
    while (!wakeups.isEmpty() && !now.isBefore(wakeups.peek())) {
      wakeups.remove();
      signal();
    }
    return wakeups.isEmpty()
        ? Long.MAX_VALUE
        : Duration.between(now, wakeups.peek()).toNanos() + 1_000_000;
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

package dev.millrace.store.fs.internal.queue;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that have something to claim, by type, in claim order; those whose waiting tasks all
 * back off stand in line too, but apart, until the first of them may be claimed. Holds no job, only
 * names and places in the queue: about 200 bytes for each job that waits. Thread-safe.
 */
public final class ClaimQueue {

  /**
   * A job that may have something to claim.
   *
   * @param tasks how many wait, of a job that has not begun; 0: whoever has the job knows
   * @param restsUntil when the first of its backoffs ends; null: it has something to claim now
   */
  public record Candidate(
      long rank,
      JobId id,
      String type,
      Priority priority,
      int tasks,
      @Nullable Instant backoffUntil) {
    static final Comparator<Candidate> ORDER =
        Comparator.comparingLong(Candidate::rank).thenComparing(Candidate::id);

    public static Candidate of(
        JobId id, String type, Priority priority, Instant created, int tasks) {
      return new Candidate(priority.queueRank(created), id, type, priority, tasks, null);
    }

    public Candidate withBackoff(@Nullable Instant until) {
      return new Candidate(rank, id, type, priority, tasks, until);
    }

    boolean isInBackoff() {
      return backoffUntil != null;
    }

    /** When the job was created. */
    Instant created() {
      long micros = rank - priority.queueRank(Instant.EPOCH);
      return Instant.EPOCH
          .plusSeconds(Math.floorDiv(micros, 1_000_000L))
          .plusNanos(Math.floorMod(micros, 1_000_000L) * 1_000);
    }
  }

  private record Deadline(Instant at, JobId id) {}

  private final Clock clock;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition arrived = lock.newCondition();
  private final Map<String, NavigableSet<Candidate>> awake = new ConcurrentHashMap<>();
  private final Map<String, NavigableSet<Candidate>> resting = new ConcurrentHashMap<>();
  private final Map<JobId, Candidate> byId = new ConcurrentHashMap<>();
  private final Set<JobId> silent = ConcurrentHashMap.newKeySet();
  private final TreeSet<Candidate> byEnd =
      new TreeSet<>(Comparator.comparing(Candidate::backoffUntil).thenComparing(Candidate.ORDER));
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(Comparator.comparing(Deadline::at));
  private Instant looked = Instant.MIN;
  private long arrivals = 1;

  /**
   * @param clock tells when backoffs end
   */
  public ClaimQueue(Clock clock) {
    this.clock = clock;
  }

  /**
   * Puts a job where it belongs now.
   *
   * @param more whether it has something to claim that it had not before
   */
  public void put(Candidate candidate, boolean more) {
    lock.lock();
    try {
      Candidate old = byId.get(candidate.id());
      if (!candidate.equals(old)) {
        if (old != null) {
          remove(old);
        }
        add(candidate);
      }
      boolean moved =
          old == null
              || old.isInBackoff()
              || old.rank() != candidate.rank()
              || !old.type().equals(candidate.type());
      if (candidate.isInBackoff()) {
        wake(); // that it rests was seen by the clock as it is now: it may be set back later
        if (!byEnd.isEmpty() && byEnd.first() == candidate) {
          arrived.signalAll(); // who waits has to wait less long
        }
      } else if (moved || more) {
        signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void add(Candidate candidate) {
    silent.remove(candidate.id());
    byId.put(candidate.id(), candidate);
    line(candidate)
        .computeIfAbsent(candidate.type(), t -> new ConcurrentSkipListSet<>(Candidate.ORDER))
        .add(candidate);
    if (candidate.isInBackoff()) {
      byEnd.add(candidate);
    }
  }

  private Map<String, NavigableSet<Candidate>> line(Candidate candidate) {
    return candidate.isInBackoff() ? resting : awake;
  }

  /** The job has nothing to claim, and is not among the ready ones. */
  public void remove(JobId id) {
    lock.lock();
    try {
      silent.remove(id);
      Candidate old = byId.get(id);
      if (old != null) {
        remove(old);
      }
    } finally {
      lock.unlock();
    }
  }

  /** The job is among the ready ones, but has nothing to claim until somebody says so. */
  public void markNothingToClaim(JobId id) {
    lock.lock();
    try {
      remove(id);
      silent.add(id);
    } finally {
      lock.unlock();
    }
  }

  /** Takes out exactly this candidate, not one that has replaced it. */
  public void drop(Candidate candidate) {
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
    Map<String, NavigableSet<Candidate>> line = line(candidate);
    NavigableSet<Candidate> same = line.get(candidate.type());
    same.remove(candidate);
    if (same.isEmpty()) {
      line.remove(candidate.type());
    }
    if (candidate.isInBackoff()) {
      byEnd.remove(candidate);
    }
  }

  /** Whether the owner has looked at the job, and knows what there is to claim of it. */
  public boolean isKnown(JobId id) {
    return byId.containsKey(id) || silent.contains(id);
  }

  /** All of them in no order; nobody waits for it, so what comes and goes may be met or not. */
  public void forEach(Consumer<Candidate> visitor) {
    byId.values().forEach(visitor);
  }

  /**
   * The next in claim order of any of these types that has something to claim.
   *
   * @param last where to go on; null: from the first
   */
  public @Nullable Candidate next(Set<String> types, @Nullable Candidate last) {
    lock.lock();
    try {
      wake();
      Candidate best = null;
      for (String type : types) {
        NavigableSet<Candidate> same = awake.getOrDefault(type, Collections.emptyNavigableSet());
        Candidate own = last == null ? first(same) : same.higher(last);
        if (own != null && (best == null || Candidate.ORDER.compare(own, best) < 0)) {
          best = own;
        }
      }
      return best;
    } finally {
      lock.unlock();
    }
  }

  private static @Nullable Candidate first(NavigableSet<Candidate> same) {
    return same.isEmpty() ? null : same.first();
  }

  public boolean isEmpty(Set<String> types) {
    lock.lock();
    try {
      return types.stream().noneMatch(type -> awake.containsKey(type) || resting.containsKey(type));
    } finally {
      lock.unlock();
    }
  }

  /**
   * How many come before the job in claim order; -1 if it has nothing to claim. It counts them one
   * by one, so nobody waits for it: what comes and goes meanwhile may count or not.
   */
  public int countAhead(JobId id) {
    Candidate own = byId.get(id);
    if (own == null) {
      return -1;
    }
    return Stream.of(awake, resting)
        .flatMap(line -> line.values().stream())
        .mapToInt(same -> same.headSet(own).size())
        .sum();
  }

  public int size() {
    return byId.size();
  }

  /** A job that waits has a queue timeout. */
  public void expireAt(Instant time, JobId id) {
    lock.lock();
    try {
      deadlines.add(new Deadline(time, id));
    } finally {
      lock.unlock();
    }
  }

  /** The next job whose queue timeout may be over, each at most once. */
  public @Nullable JobId overdue(Instant now) {
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
  public long await(long seen, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = atMost.toNanos();
      boolean over = false;
      while (arrivals == seen && left > 0 && !over) {
        long until = wake();
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

  /**
   * Lets those in whose backoff is over, and answers how long the next one takes. After the clock
   * was set back all of them are let in: when they end has to be looked at again.
   */
  private long wake() {
    Instant now = clock.instant();
    boolean setBack = now.isBefore(looked);
    looked = now;
    while (!byEnd.isEmpty() && (setBack || !now.isBefore(byEnd.first().backoffUntil()))) {
      Candidate candidate = byEnd.first();
      remove(candidate);
      add(candidate.withBackoff(null));
      signal();
    }
    return byEnd.isEmpty()
        ? Long.MAX_VALUE
        : Duration.between(now, byEnd.first().backoffUntil()).toNanos() + 1_000_000;
  }
}

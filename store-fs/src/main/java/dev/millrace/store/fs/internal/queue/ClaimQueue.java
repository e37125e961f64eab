package dev.millrace.store.fs.internal.queue;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.ClaimIndex;
import dev.millrace.core.internal.store.StoredJob;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.time.ProcessTimeline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The jobs with tasks to claim, by type, in claim order. Jobs whose waiting tasks are all in their
 * backoff are kept apart until the first backoff ends. Holds ids and positions only: about 200
 * bytes for each waiting job. Thread-safe.
 */
public final class ClaimQueue implements ClaimIndex {

  /**
   * A job that may have tasks to claim.
   *
   * @param tasks how many wait, for a job that is not in memory; 0: the job in memory knows
   * @param backoffUntil the steady time at which its first backoff ends; null: it has tasks to
   *     claim now
   */
  public record Candidate(
      long rank,
      JobId id,
      String type,
      Priority priority,
      int tasks,
      @Nullable Instant backoffUntil)
      implements ClaimIndex.Candidate {
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
    public Instant created() {
      long micros = rank - priority.queueRank(Instant.EPOCH);
      return Instant.EPOCH
          .plusSeconds(Math.floorDiv(micros, 1_000_000L))
          .plusNanos(Math.floorMod(micros, 1_000_000L) * 1_000);
    }
  }

  private record Deadline(Instant at, JobId id) {}

  private final ProcessTimeline timeline;
  private final ReentrantLock lock;
  private final Condition arrived;
  private final Map<String, NavigableSet<Candidate>> awake = new ConcurrentHashMap<>();
  private final Map<String, NavigableSet<Candidate>> resting = new ConcurrentHashMap<>();
  private final Map<JobId, Candidate> byId = new ConcurrentHashMap<>();
  private final Set<JobId> silent = ConcurrentHashMap.newKeySet();
  private final NavigableSet<Candidate> byEnd =
      new ConcurrentSkipListSet<>(
          Comparator.comparing(Candidate::backoffUntil).thenComparing(Candidate.ORDER));
  private final PriorityQueue<Deadline> deadlines =
      new PriorityQueue<>(Comparator.comparing(Deadline::at));
  private List<JobId> overdue = new ArrayList<>();

  /** The first deadline of each job: one that is dropped and read often needs no other before. */
  private final Map<JobId, Instant> earliest = new HashMap<>();

  private long arrivals = 1;

  /** The change under way; if an Error has cut it short, the next call completes it. */
  private @Nullable Candidate removing;

  private @Nullable Candidate adding;

  /**
   * @param timeline decides when backoffs end
   */
  public ClaimQueue(ProcessTimeline timeline, Threading threading) {
    this.timeline = timeline;
    this.lock = threading.newLock();
    this.arrived = lock.newCondition();
  }

  /**
   * Puts a job at its present position.
   *
   * @param more whether it has new tasks to claim
   */
  public void put(Candidate candidate, boolean more) {
    lock.lock();
    try {
      completeChange();
      Candidate old = byId.get(candidate.id());
      if (!candidate.equals(old)) {
        replace(old, candidate);
      }
      boolean moved =
          old == null
              || old.isInBackoff()
              || old.rank() != candidate.rank()
              || !old.type().equals(candidate.type());
      if (candidate.isInBackoff()) {
        if (!byEnd.isEmpty() && byEnd.first() == candidate) {
          arrived.signalAll(); // waiting threads must recompute their wait
        }
      } else if (moved || more) {
        signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void replace(@Nullable Candidate old, @Nullable Candidate now) {
    removing = old;
    adding = now;
    change();
  }

  private void completeChange() {
    if (removing != null || adding != null) {
      change();
      signal(); // whose change it was did not come to that
    }
  }

  /** Both may be done again. */
  private void change() {
    if (removing != null) {
      remove(removing);
    }
    if (adding != null) {
      add(adding);
    }
    removing = null;
    adding = null;
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

  @Override
  public void put(StoredJob job) {
    put(job, job.isUnstarted());
  }

  /** Puts a job that will no longer be in memory. */
  public void putDropped(StoredJob job) {
    put(job, true);
  }

  private void put(StoredJob job, boolean counted) {
    StageFold stage = job.openStage();
    if (stage != null && job.nextWaiting(stage.number(), 0) >= 0) {
      put(
          Candidate.of(
                  job.id(),
                  stage.plan().type(),
                  job.priority(),
                  job.fold().plan().createdAt(),
                  counted ? stage.count(TaskState.PENDING) + stage.count(TaskState.RETRIED) : 0)
              .withBackoff(job.backoffUntil(stage, timeline.now().steady())),
          job.takeArrival());
    } else if (job.isUnstarted()) {
      markNothingToClaim(job.id());
    } else {
      remove(job.id());
    }
  }

  /** Removes a job that has nothing to claim and is not in the ready directory. */
  public void remove(JobId id) {
    lock.lock();
    try {
      completeChange();
      silent.remove(id);
      Candidate old = byId.get(id);
      if (old != null) {
        replace(old, null);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Marks a job in the ready directory that has nothing to claim for now. */
  public void markNothingToClaim(JobId id) {
    lock.lock();
    try {
      remove(id);
      silent.add(id);
    } finally {
      lock.unlock();
    }
  }

  /** Removes exactly this candidate, not one that has replaced it. */
  @Override
  public void drop(ClaimIndex.Candidate candidate) {
    lock.lock();
    try {
      completeChange();
      Candidate own = byId.get(candidate.id());
      if (own == candidate) {
        replace(own, null);
      }
    } finally {
      lock.unlock();
    }
  }

  private void remove(Candidate candidate) {
    byId.remove(candidate.id());
    Map<String, NavigableSet<Candidate>> line = line(candidate);
    NavigableSet<Candidate> same = line.get(candidate.type());
    if (same != null) {
      same.remove(candidate);
      if (same.isEmpty()) {
        line.remove(candidate.type());
      }
    }
    if (candidate.isInBackoff()) {
      byEnd.remove(candidate);
    }
  }

  /** Whether the owner has read the job and knows its tasks to claim. */
  public boolean isKnown(JobId id) {
    return byId.containsKey(id) || silent.contains(id);
  }

  /** All jobs, unsorted and without a lock: concurrent changes may be seen or not. */
  public void forEach(Consumer<Candidate> visitor) {
    byId.values().forEach(visitor);
  }

  @Override
  public @Nullable Candidate next(Set<String> types, ClaimIndex.@Nullable Candidate after) {
    Candidate last = (Candidate) after;
    lock.lock();
    try {
      completeChange();
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

  @Override
  public boolean isIdle(Set<String> types) {
    lock.lock();
    try {
      completeChange();
      return types.stream().noneMatch(type -> awake.containsKey(type) || resting.containsKey(type));
    } finally {
      lock.unlock();
    }
  }

  /**
   * How many jobs come before this one in claim order; -1 if it has nothing to claim. It counts one
   * by one without a lock: concurrent changes may count or not.
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

  /** The first jobs in claim order, without a lock: concurrent changes may be seen or not. */
  public List<Candidate> first(int limit) {
    return Stream.of(awake, resting)
        .flatMap(line -> line.values().stream())
        .flatMap(same -> same.stream().limit(limit))
        .sorted(Candidate.ORDER)
        .limit(limit)
        .toList();
  }

  /** Registers a waiting job with a queue timeout that was submitted at that wall time. */
  public void expireAfter(Instant submitted, Duration timeout, JobId id) {
    expireAt(timeline.of(id.toString()).submitted(submitted).plus(timeout), id);
  }

  /** Registers a waiting job whose queue timeout passes at that steady time. */
  public void expireAt(Instant time, JobId id) {
    lock.lock();
    try {
      Instant known = earliest.get(id);
      if (known == null || time.isBefore(known)) {
        deadlines.add(new Deadline(time, id)); // first: a deadline must not be known and missing
        earliest.put(id, time);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Jobs whose queue timeout may have passed, each at most once. */
  @Override
  public List<JobId> takeOverdue(Instant now) {
    lock.lock();
    try {
      List<JobId> rest = new ArrayList<>();
      for (Deadline next = deadlines.peek();
          next != null && !now.isBefore(next.at());
          next = deadlines.peek()) {
        Instant first = earliest.get(next.id());
        if (first == null || next.at().equals(first)) {
          overdue.add(next.id()); // kept for the next call if this one is cut short
          earliest.remove(next.id());
        }
        deadlines.remove();
      }
      List<JobId> taken = overdue;
      overdue = rest;
      return taken;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void keepOverdue(JobId id, Instant now) {
    expireAt(now, id);
  }

  private void signal() {
    arrivals++;
    arrived.signalAll();
  }

  /**
   * Waits for an arrival after {@code seen} was returned, or for the end of a backoff. Any number
   * of threads may wait; each remembers what it has seen.
   */
  @Override
  public long awaitWork(long seen, Duration atMost) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = atMost.toNanos();
      boolean over = false;
      completeChange();
      while (arrivals == seen && left > 0 && !over) {
        long until = wake();
        if (arrivals == seen) {
          long slice = Math.min(left, until);
          long rest = arrived.awaitNanos(slice);
          left -= slice - rest;
          over = rest <= 0 && slice == until; // a manual clock may not wake us
        }
      }
      return arrivals;
    } finally {
      lock.unlock();
    }
  }

  /** Moves jobs whose backoff is over to the queue, and returns the time until the next one. */
  private long wake() {
    Instant now = timeline.now().steady();
    while (!byEnd.isEmpty() && !now.isBefore(byEnd.first().backoffUntil())) {
      Candidate candidate = byEnd.first();
      replace(candidate, candidate.withBackoff(null));
      signal();
    }
    return byEnd.isEmpty()
        ? Long.MAX_VALUE
        : Duration.between(now, byEnd.first().backoffUntil()).toNanos() + 1_000_000;
  }
}

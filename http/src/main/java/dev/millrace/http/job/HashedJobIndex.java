package dev.millrace.http.job;

import dev.millrace.core.job.EntityId;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobReader;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs whose UUID is a hash of their id, by that UUID: those whose directories were named by
 * other software. The jobs are listed when the first such UUID is looked up, and then now and then,
 * for directories that were put there by hand; all others report themselves by a change. So a
 * client that asks for UUIDs that do not exist causes no listings. Thread-safe.
 */
final class HashedJobIndex {
  /** How long a listing counts, at least. */
  static final Duration MIN_AGE = Duration.ofMinutes(1);

  /** A listing counts at least so many times as long as it took. */
  private static final int AGE_FACTOR = 100;

  private final JobReader store;
  private final LongSupplier clock;

  /** Held while the jobs are listed. */
  private final ReentrantLock listing = new ReentrantLock();

  private volatile Map<UUID, JobId> jobs = new ConcurrentHashMap<>();
  private @Nullable Map<UUID, JobId> next; // while the jobs are listed; guarded by this
  private volatile boolean listed;
  private volatile long validUntil;

  /**
   * @param clock nanoseconds since any origin
   */
  HashedJobIndex(JobReader store, LongSupplier clock) {
    this.store = store;
    this.clock = clock;
  }

  /** The job with this UUID, which names a job, not a part of it. */
  Optional<JobId> find(UUID uuid) {
    JobId known = jobs.get(uuid);
    if (known == null && isListingDue()) {
      listOnce();
      known = jobs.get(uuid);
    }
    return Optional.ofNullable(known);
  }

  /** Call with each job that changes. */
  synchronized void add(JobId id) {
    UUID uuid = EntityId.of(id).uuid();
    if (EntityId.isHashed(uuid)) {
      jobs.put(uuid, id);
      if (next != null) {
        next.put(uuid, id);
      }
    }
  }

  private boolean isListingDue() {
    return !listed || clock.getAsLong() - validUntil >= 0;
  }

  private void listOnce() {
    listing.lock();
    try {
      if (isListingDue()) {
        long start = clock.getAsLong();
        list();
        long end = clock.getAsLong();
        validUntil = end + Math.max(MIN_AGE.toNanos(), AGE_FACTOR * (end - start));
        listed = true;
      }
    } finally {
      listing.unlock();
    }
  }

  private void list() {
    Map<UUID, JobId> found = new ConcurrentHashMap<>();
    setNext(found);
    try {
      for (JobId id : store.list(JobReader.Query.all())) {
        UUID uuid = EntityId.of(id).uuid();
        if (EntityId.isHashed(uuid)) {
          found.put(uuid, id);
        }
      }
      jobs = found; // not before it is complete: others read meanwhile
    } finally {
      setNext(null);
    }
  }

  private synchronized void setNext(@Nullable Map<UUID, JobId> map) {
    next = map;
  }
}

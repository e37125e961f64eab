package dev.millrace.core.store.memory;

import dev.millrace.core.internal.lease.Leases;
import dev.millrace.core.internal.lease.LeasesInMemory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** What outlives a store in memory. Its monitor guards everything in it. */
final class MemoryContents {
  final SortedMap<JobId, MemoryJob> jobs = new TreeMap<>();
  final Map<String, SortedMap<String, String>> notes = new HashMap<>();
  private long lastEpoch;

  /** Jobs that cannot be read. */
  final Set<JobId> damaged = new HashSet<>();

  /** The epochs of stores that are open. */
  private final Set<Long> live = new HashSet<>();

  Leases leases = new LeasesInMemory();

  /** Counts changes that may have made a task claimable. */
  long work = 1;

  /** The steady times at which backoffs end: only time makes their tasks claimable. */
  final NavigableSet<Instant> backoffs = new TreeSet<>();

  /** All stores that were open are gone; leases start again in full. */
  synchronized void restart() {
    live.clear();
    leases = new LeasesInMemory();
    backoffs.clear();
  }

  /** The epoch of a store that opens, beside those that are open. */
  synchronized long join() {
    live.add(++lastEpoch);
    return lastEpoch;
  }

  /** That store is gone. */
  synchronized void leave(long epoch) {
    live.remove(epoch);
  }

  synchronized boolean isOver(long epoch) {
    return !live.contains(epoch);
  }

  /** By queue rank, then by id. */
  List<MemoryJob> inClaimOrder() {
    return jobs.values().stream().sorted(claimOrder()).toList();
  }

  static Comparator<MemoryJob> claimOrder() {
    return Comparator.<MemoryJob>comparingLong(job -> priority(job).queueRank(job.createdAt))
        .thenComparing(job -> job.id);
  }

  /** The priority as submitted, or as a user changed it since. */
  static Priority priority(MemoryJob job) {
    Priority changed = job.fold().priority();
    return changed == null ? job.submitted.priority() : changed;
  }
}

package dev.millrace.core.store.memory;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.Priority;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** What outlives a store in memory. Its monitor guards everything in it. */
final class MemoryContents {
  final SortedMap<JobId, MemoryJob> jobs = new TreeMap<>();
  final Map<String, SortedMap<String, String>> notes = new HashMap<>();
  long epoch;

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

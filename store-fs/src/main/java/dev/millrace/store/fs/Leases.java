package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * How long claims live without a heartbeat. In memory only: when the owner changes, every claim of
 * the one before has ended anyway. Thread-safe.
 */
final class Leases {
  private record Lease(Duration length, Instant until) {}

  private final ConcurrentHashMap<Claim, Lease> leases = new ConcurrentHashMap<>();

  void grant(Claim claim, Duration length, Instant until) {
    leases.put(claim, new Lease(length, until));
  }

  void renew(Claim claim, Instant now) {
    leases.computeIfPresent(
        claim, (_, lease) -> new Lease(lease.length(), now.plus(lease.length())));
  }

  void end(Claim claim) {
    leases.remove(claim);
  }

  /** Claims whose lease is over, by job. */
  Map<JobId, List<Claim>> expired(Instant now) {
    return leases.entrySet().stream()
        .filter(entry -> !now.isBefore(entry.getValue().until()))
        .map(Map.Entry::getKey)
        .collect(Collectors.groupingBy(Claim::job));
  }
}

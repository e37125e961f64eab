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
  private record Lease(Claim claim, Duration length, Instant until) {}

  private final ConcurrentHashMap<Holding, Lease> leases = new ConcurrentHashMap<>();

  void grant(Claim claim, Duration length, Instant until) {
    leases.put(Holding.of(claim), new Lease(claim, length, until));
  }

  void renew(Claim claim, Instant now) {
    if (!leases.isEmpty()) {
      leases.computeIfPresent(
          Holding.of(claim),
          (_, lease) -> new Lease(lease.claim(), lease.length(), now.plus(lease.length())));
    }
  }

  void end(Claim claim) {
    leases.remove(Holding.of(claim));
  }

  /** Claims whose lease is over, by job. */
  Map<JobId, List<Claim>> expired(Instant now) {
    return leases.values().stream()
        .filter(lease -> !now.isBefore(lease.until()))
        .map(Lease::claim)
        .collect(Collectors.groupingBy(Claim::job));
  }
}

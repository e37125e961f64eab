package dev.millrace.core.internal.lease;

import dev.millrace.core.job.JobId;
import dev.millrace.core.task.ClaimKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Leases of a store that one process owns. The log says which claims have a lease and how long it
 * is; its end is in memory only. A new owner grants each claim its whole lease again, because its
 * worker may have sent heartbeats while there was no owner. Thread-safe.
 */
public final class LeasesInMemory implements Leases {
  private record Lease(Duration length, Instant until) {
    static Lease of(Duration length, Instant now) {
      return new Lease(length, now.plus(length));
    }
  }

  private final ConcurrentHashMap<JobClaimKey, Lease> leases = new ConcurrentHashMap<>();

  @Override
  public void grant(JobClaimKey claim, Duration length, Instant now) {
    leases.put(claim, Lease.of(length, now));
  }

  @Override
  public void restore(JobClaimKey claim, Duration length, Instant now) {
    leases.putIfAbsent(claim, Lease.of(length, now));
  }

  @Override
  public void renew(JobClaimKey claim, Instant now) {
    if (!leases.isEmpty()) {
      leases.computeIfPresent(claim, (_, lease) -> Lease.of(lease.length(), now));
    }
  }

  @Override
  public void end(JobClaimKey claim) {
    leases.remove(claim);
  }

  @Override
  public boolean isOver(JobClaimKey claim, Instant now) {
    Lease lease = leases.get(claim);
    return lease != null && !now.isBefore(lease.until());
  }

  @Override
  public boolean endIfOver(JobClaimKey claim, Instant now) {
    return leases.computeIfPresent(claim, (_, lease) -> now.isBefore(lease.until()) ? lease : null)
        == null;
  }

  @Override
  public Map<JobId, Set<ClaimKey>> expired(Instant now) {
    return leases.entrySet().stream()
        .filter(lease -> !now.isBefore(lease.getValue().until()))
        .map(Map.Entry::getKey)
        .collect(
            Collectors.groupingBy(
                JobClaimKey::job, Collectors.mapping(JobClaimKey::key, Collectors.toSet())));
  }
}

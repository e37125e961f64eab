package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The leases of claims. The log says which claims have a lease and how long it is; its end is in
 * memory only. A new owner grants each claim its whole lease again, because its worker may have
 * sent heartbeats while there was no owner. Thread-safe.
 */
public final class Leases {
  private record Lease(Duration length, Instant until) {

    /** A lease that ends later than it can means that the clock was set back: it starts again. */
    Lease at(Instant now) {
      Instant latest = now.plus(length);
      return until.isAfter(latest) ? new Lease(length, latest) : this;
    }
  }

  private final ConcurrentHashMap<JobClaimKey, Lease> leases = new ConcurrentHashMap<>();

  /** Grants a lease to a claim that is in the log, before its worker knows of it. */
  public void grant(Claim claim, Instant now) {
    if (claim.lease() != null) {
      leases.put(JobClaimKey.of(claim), new Lease(claim.lease(), now.plus(claim.lease())));
    }
  }

  /** Grants the leases of a job that is read from disk; existing leases stay. */
  void grantAll(ActiveJob job, Instant now) {
    for (StageFold stage : job.fold().stages()) {
      int left = stage.count(TaskState.IN_PROGRESS);
      for (int task = 1; left > 0; task++) {
        TaskFold at = stage.task(task);
        if (at.state() == TaskState.IN_PROGRESS) {
          left--;
          TaskFold.LoggedClaim held = at.lastClaim();
          if (held != null && held.lease() != null) {
            leases.putIfAbsent(
                new JobClaimKey(job.id(), new ClaimKey(stage.number(), task, held.token())),
                new Lease(held.lease(), now.plus(held.lease())));
          }
        }
      }
    }
  }

  public void renew(Claim claim, Instant now) {
    if (!leases.isEmpty()) {
      leases.computeIfPresent(
          JobClaimKey.of(claim), (_, lease) -> new Lease(lease.length(), now.plus(lease.length())));
    }
  }

  public void end(JobClaimKey claimKey) {
    leases.remove(claimKey);
  }

  public boolean isOver(JobClaimKey claimKey, Instant now) {
    Lease lease = leases.get(claimKey);
    return lease != null && !now.isBefore(lease.until());
  }

  /** Drops a lease unless it was renewed; true if there is none then. */
  public boolean endIfOver(JobClaimKey claimKey, Instant now) {
    return leases.computeIfPresent(
            claimKey, (_, lease) -> now.isBefore(lease.until()) ? lease : null)
        == null;
  }

  /** Claims whose lease is over, by job. */
  public Map<JobId, Set<ClaimKey>> expired(Instant now) {
    leases.replaceAll((_, lease) -> lease.at(now));
    return leases.entrySet().stream()
        .filter(lease -> !now.isBefore(lease.getValue().until()))
        .map(Map.Entry::getKey)
        .collect(
            Collectors.groupingBy(
                JobClaimKey::job, Collectors.mapping(JobClaimKey::key, Collectors.toSet())));
  }
}

package dev.millrace.http.live;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.time.ProcessClock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tasks that remote workers run, as far as they talk to this server: known from a claim or a
 * heartbeat on, until the answer or the end of the lease. Thread-safe.
 */
final class RemoteClaims implements WorkListener {
  private final ProcessClock clock;
  private final Map<Key, Held> held = new ConcurrentHashMap<>();

  private record Key(JobId job, ClaimKey claim) {
    static Key of(Claim claim) {
      return new Key(claim.job(), claim.key());
    }
  }

  /**
   * @param until nanoseconds
   */
  private record Held(Claim claim, long until) {}

  RemoteClaims(ProcessClock clock) {
    this.clock = clock;
  }

  @Override
  public void claimed(Claim claim) {
    Duration lease = claim.lease();
    if (lease != null) { // else a worker of this process has it
      held.put(Key.of(claim), new Held(claim, clock.nanoTime() + lease.toNanos()));
    }
  }

  @Override
  public void answered(Claim claim, Answer answer, Outcome outcome) {
    held.remove(Key.of(claim));
  }

  @Override
  public void signalled(Claim claim, ClaimSignal signal) {
    if (signal == ClaimSignal.LOST) {
      held.remove(Key.of(claim));
    } else {
      claimed(claim);
    }
  }

  /** The claims whose lease has not ended. */
  List<Claim> claims() {
    long now = clock.nanoTime();
    held.values().removeIf(each -> now - each.until() >= 0);
    return held.values().stream().map(Held::claim).toList();
  }
}

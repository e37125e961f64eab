package dev.millrace.http.live;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.time.ProcessClock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The tasks that remote workers run, as far as they talk to this server: known from a claim or a
 * heartbeat on, until the answer or the end of the lease. It keeps no inputs, which may be large.
 * Thread-safe.
 */
final class RemoteClaims implements WorkListener {
  private static final long CLEAN_UP = Duration.ofSeconds(1).toNanos();

  private final ProcessClock clock;
  private final Map<Key, RemoteTask> held = new ConcurrentHashMap<>();
  private final AtomicLong cleanedUp;

  private record Key(JobId job, ClaimKey claim) {
    static Key of(Claim claim) {
      return new Key(claim.job(), claim.key());
    }
  }

  /**
   * A task of a remote worker.
   *
   * @param since when it was claimed, or first heard of
   * @param until when its lease ends, in nanoseconds
   */
  record RemoteTask(
      JobId job, ClaimKey key, String type, String worker, Instant since, long until) {}

  RemoteClaims(ProcessClock clock) {
    this.clock = clock;
    this.cleanedUp = new AtomicLong(clock.nanoTime());
  }

  @Override
  public void claimed(Claim claim) {
    Duration lease = claim.lease();
    if (lease != null) { // else a worker of this process has it
      long now = clock.nanoTime();
      held.merge(Key.of(claim), task(claim, now + lease.toNanos()), RemoteClaims::renewed);
      cleanUp(now);
    }
  }

  private static RemoteTask task(Claim claim, long until) {
    String worker = claim.view().worker();
    return new RemoteTask(
        claim.job(),
        claim.key(),
        claim.type(),
        worker == null ? "" : worker,
        claim.view().updatedAt(),
        until);
  }

  private static RemoteTask renewed(RemoteTask known, RemoteTask now) {
    return new RemoteTask(known.job, known.key, known.type, known.worker, known.since, now.until);
  }

  /**
   * Forgets those whose lease has ended. Nothing tells of a worker that died, or answered to another
   * server, and nobody may ever look at the list: each claim and heartbeat cleans up, now and then.
   */
  private void cleanUp(long now) {
    long last = cleanedUp.get();
    if (now - last >= CLEAN_UP && cleanedUp.compareAndSet(last, now)) {
      held.values().removeIf(each -> now - each.until() >= 0);
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

  /** How many are kept, those included whose lease has ended. */
  int size() {
    return held.size();
  }

  /** The tasks whose lease has not ended. */
  List<RemoteTask> tasks() {
    long now = clock.nanoTime();
    held.values().removeIf(each -> now - each.until() >= 0);
    return List.copyOf(held.values());
  }
}

package dev.millrace.http.job;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.WorkListener;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Wakes those who follow a job when it or its journal has changed, and never else: a stream that
 * waits costs nothing. What another server journals is not told. Thread-safe.
 */
public final class JobSignals implements AutoCloseable {
  private final Map<JobId, Set<Semaphore>> waiting = new ConcurrentHashMap<>();
  private final Subscription changes;
  private final Subscription work;
  private final boolean missOutput;

  public JobSignals(JobStore store) {
    this.missOutput = store.isShared();
    this.changes = store.onChange(this::wake);
    this.work =
        store.onWork(
            new WorkListener() {
              @Override
              public void journaled(Claim claim) {
                wake(claim.job());
              }
            });
  }

  /** Whether there may be output that they do not tell of: that of another server. */
  public boolean missOutput() {
    return missOutput;
  }

  private void wake(JobId job) {
    Set<Semaphore> signals = waiting.get(job);
    if (signals != null) {
      signals.forEach(
          signal -> {
            if (signal.availablePermits() == 0) {
              signal.release();
            }
          });
    }
  }

  /** Watches a job from now on. Close what this returns. */
  public Watch watch(JobId job) {
    Semaphore signal = new Semaphore(0);
    waiting.compute(
        job,
        (_, known) -> {
          Set<Semaphore> signals = known == null ? ConcurrentHashMap.newKeySet() : known;
          signals.add(signal);
          return signals;
        });
    return new Watch(this, job, signal);
  }

  /** The watch over one job, for one thread. */
  public record Watch(JobSignals signals, JobId job, Semaphore signal) implements AutoCloseable {

    /** Waits until something may have changed since the last call; false if nothing has. */
    public boolean await(Duration atMost) throws InterruptedException {
      boolean changed = signal.tryAcquire(atMost.toNanos(), TimeUnit.NANOSECONDS);
      signal.drainPermits();
      return changed;
    }

    @Override
    public void close() {
      signals.waiting.computeIfPresent(
          job,
          (_, known) -> {
            known.remove(signal);
            return known.isEmpty() ? null : known;
          });
    }
  }

  @Override
  public void close() {
    changes.close();
    work.close();
  }
}

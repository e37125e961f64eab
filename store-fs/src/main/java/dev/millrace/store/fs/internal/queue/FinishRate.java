package dev.millrace.store.fs.internal.queue;

import dev.millrace.core.internal.rules.JobFold;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Measures how fast jobs finish: their number divided by the time with work to do, both fading by
 * half in five minutes of work. Time between the end of one job and the start of the next does not
 * count, so that a night without work says nothing about the morning. Thread-safe.
 */
public final class FinishRate {
  private static final double FADING = 300 / Math.log(2);

  private double jobs;
  private double seconds;
  private @Nullable Instant last;

  /** Records that a job has ended. */
  public void finished(JobFold job) {
    Instant end = job.completedAt();
    if (end != null && job.startedAt() != null) {
      finished(job.startedAt(), end);
    }
  }

  synchronized void finished(Instant begin, Instant end) {
    Instant from = last == null || last.isBefore(begin) ? begin : last;
    double busy = Math.max(0, Duration.between(from, end).toNanos() / 1e9);
    double kept = Math.exp(-busy / FADING);
    jobs = jobs * kept + 1;
    seconds = seconds * kept + busy;
    last = last == null || end.isAfter(last) ? end : last;
  }

  /** How long that many jobs take; null if nothing was measured. */
  public synchronized @Nullable Duration timeFor(int many) {
    return jobs == 0 || seconds == 0
        ? null
        : Duration.ofMillis(Math.round(many * seconds / jobs * 1_000));
  }
}

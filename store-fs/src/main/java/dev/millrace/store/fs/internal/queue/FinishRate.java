package dev.millrace.store.fs.internal.queue;

import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.time.Moment;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Measures how fast jobs finish: their number divided by the time with work to do, both fading by
 * half in five minutes of work. Time between the end of one job and the start of the next does not
 * count, so that a night without work says nothing about the morning; neither does time before
 * this owner opened the workspace. There is no estimate while no job has finished for long: then
 * the jobs are not like those that were measured. All times are steady. Thread-safe.
 */
public final class FinishRate {
  private static final double FADING = 300 / Math.log(2);

  private static final Duration LEAST_SILENCE = Duration.ofSeconds(10);

  /** A longer time than this is not an estimate but a guess. */
  private static final Duration LONGEST = Duration.ofDays(10);

  private final Instant opened;
  private double jobs;
  private double seconds;
  private @Nullable Instant last;

  /**
   * @param opened when the owner opened the workspace
   */
  public FinishRate(Instant opened) {
    this.opened = opened;
  }

  /** Records that a job has ended. */
  public void finished(JobFold job) {
    Moment started = job.started();
    Moment completed = job.completed();
    if (started != null && completed != null) {
      finished(started.steady(), completed.steady());
    }
  }

  synchronized void finished(Instant begin, Instant end) {
    Instant start = begin.isBefore(opened) ? opened : begin;
    Instant from = last == null || last.isBefore(start) ? start : last;
    double busy = Math.max(0, Duration.between(from, end).toNanos() / 1e9);
    double kept = Math.exp(-busy / FADING);
    jobs = jobs * kept + 1;
    seconds = seconds * kept + busy;
    last = last == null || end.isAfter(last) ? end : last;
  }

  /** How long that many jobs take at the present speed; null if there is none. */
  public synchronized @Nullable Duration timeFor(int many, Instant now) {
    if (jobs == 0 || seconds == 0 || last == null) {
      return null;
    }
    double each = seconds / jobs;
    double silence = Math.max(LEAST_SILENCE.toMillis() / 1e3, 3 * each);
    boolean silent = Duration.between(last, now).toMillis() / 1e3 > silence;
    return silent || many * each > LONGEST.toSeconds()
        ? null
        : Duration.ofMillis(Math.round(many * each * 1_000));
  }
}

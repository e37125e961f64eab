package dev.millrace.core.internal.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Jobs that cannot be read, whatever reading them has thrown. They stay where they are, unchanged,
 * and other jobs run. A job is read again when what is stored of it has changed, or after a while.
 * Thread-safe.
 */
final class QuarantinedJobs {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** After this time a job is read again even if it looks the same: a part of it may be repaired. */
  static final Duration RETRY = Duration.ofMinutes(5);

  /** Jobs that are remembered; others are read again each time. */
  private static final int MOST = 10_000;

  /** Jobs that one sweep looks at. */
  private static final int CHECKED = 100;

  private static final int MAX_REASON = 500;

  /**
   * @param version of what is stored, when it could not be read
   * @param due when it is read again even if it looks the same, in steady time
   * @param failures how often in a row it could not be read
   */
  private record Entry(String reason, String version, Instant due, int failures) {}

  private final JobRepository<?> repository;
  private final Map<JobId, Entry> jobs = new ConcurrentHashMap<>();
  private final Set<JobId> reported = ConcurrentHashMap.newKeySet();
  private List<JobId> unchecked = List.of();

  QuarantinedJobs(JobRepository<?> repository) {
    this.repository = repository;
  }

  /** Quarantines a job, and returns what to throw. */
  JobException.Unreadable add(JobId id, Throwable problem) {
    String reason = reason(id, problem);
    Entry last = jobs.get(id);
    int failures = last == null ? 1 : last.failures() + 1;
    Instant due = repository.now().steady().plus(wait(problem, failures));
    Entry entry = new Entry(reason, repository.version(id), due, failures);
    Entry before = jobs.size() < MOST ? jobs.put(id, entry) : jobs.replace(id, entry);
    if (before == null || !before.reason().equals(reason)) {
      reported.add(id);
      LOG.log(Level.ERROR, reason + "; the job is quarantined: it stays as it is, others run");
    }
    return new JobException.Unreadable(reason, problem);
  }

  /** After an Error the job may be sound, and the process was not: it is soon read again. */
  private static Duration wait(Throwable problem, int failures) {
    boolean error = problem instanceof Error || problem.getCause() instanceof Error;
    if (!error || failures > 9) {
      return RETRY;
    }
    return failures == 1 ? Duration.ZERO : Duration.ofSeconds(1L << (failures - 2));
  }

  /** What is wrong, in one line without a stack trace. */
  private static String reason(JobId id, Throwable problem) {
    String what =
        switch (problem) {
          case StoreException e -> String.valueOf(e.getMessage());
          case StackOverflowError _ ->
              "cannot read job " + id + ": a file of it is nested too deeply";
          case OutOfMemoryError _ ->
              "cannot read job " + id + ": it does not fit into the memory of this process";
          default ->
              "cannot read job "
                  + id
                  + ": "
                  + problem.getClass().getSimpleName()
                  + (problem.getMessage() == null ? "" : ", " + problem.getMessage());
        };
    String line = what.replaceAll("\\p{Cntrl}+", " ");
    return line.length() <= MAX_REASON ? line : line.substring(0, MAX_REASON) + "…";
  }

  boolean contains(JobId id) {
    return jobs.containsKey(id);
  }

  /**
   * Lets a job be read that is not quarantined, or that may be readable by now.
   *
   * @throws JobException.Unreadable if it would only fail again
   */
  void requireWorthReading(JobId id) {
    Entry entry = jobs.get(id);
    if (entry != null && !isDue(id, entry)) {
      throw new JobException.Unreadable(entry.reason(), null);
    }
  }

  private boolean isDue(JobId id, Entry entry) {
    return !repository.now().steady().isBefore(entry.due())
        || !entry.version().equals(repository.version(id));
  }

  /** Call when a job was read, or deleted; returns whether it was quarantined. */
  boolean remove(JobId id) {
    boolean was = jobs.remove(id) != null;
    if (was) {
      reported.remove(id);
    }
    return was;
  }

  /** Jobs that should be read again: some of those that are due, others at the next call. */
  synchronized List<JobId> due() {
    if (unchecked.isEmpty()) {
      unchecked = List.copyOf(jobs.keySet());
    }
    int some = Math.min(CHECKED, unchecked.size());
    List<JobId> due = new ArrayList<>();
    for (JobId id : unchecked.subList(0, some)) {
      Entry entry = jobs.get(id);
      if (entry != null && isDue(id, entry)) {
        due.add(id);
      }
    }
    unchecked = unchecked.subList(some, unchecked.size());
    return due;
  }

  /** Logs once why a step with a job failed; the job itself can be read. */
  void report(JobId id, Throwable e) {
    if (!contains(id) && reported.size() < MOST && reported.add(id)) {
      // unexpected: the log needs the stack trace
      @Nullable Throwable trace = e instanceof StoreException ? null : e;
      String what = trace == null ? e.getMessage() + "; the job" : "job " + id;
      LOG.log(Level.ERROR, what + " is skipped", trace);
    }
  }
}

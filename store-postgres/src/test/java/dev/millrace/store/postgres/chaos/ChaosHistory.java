package dev.millrace.store.postgres.chaos;

import dev.millrace.core.job.JobId;
import dev.millrace.store.postgres.chaos.job.JobHistory;
import dev.millrace.store.postgres.chaos.job.WorkerAnswer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What was acknowledged to anybody, and what has gone wrong. Thread-safe. */
final class ChaosHistory {
  private static final int MOST_PROBLEMS = 200;

  private final Map<JobId, JobHistory> jobs = new ConcurrentHashMap<>();
  private final Map<String, JobId> keys = new ConcurrentHashMap<>();
  private final Set<JobId> deleted = ConcurrentHashMap.newKeySet();
  private final Map<String, LongAdder> counts = new ConcurrentSkipListMap<>();
  private final Queue<String> problems = new ConcurrentLinkedQueue<>();

  /** What happened when, for whoever looks for a cause. */
  private final PrintWriter timeline;

  /** Answers to workers for jobs that a server has submitted, before it could say so. */
  private final Queue<WorkerAnswer> early = new ConcurrentLinkedQueue<>();

  /**
   * @param timeline gets what happens
   */
  ChaosHistory(Path timeline) {
    try {
      this.timeline = new PrintWriter(Files.newBufferedWriter(timeline), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Writes down what happened now. */
  void note(String what) {
    timeline.println(Instant.now() + " " + what);
  }

  /** A job is about to be submitted. */
  JobHistory begin(JobHistory job) {
    jobs.put(job.id(), job);
    return job;
  }

  /** As {@link #begin}, by whoever of several submitters is first. */
  void beginOnce(JobId id, Supplier<JobHistory> job) {
    if (!deleted.contains(id)) {
      jobs.computeIfAbsent(id, _ -> job.get());
    }
  }

  /** Somebody was told that the key stands for the job. */
  void acknowledgeKey(String key, JobId id) {
    keys.put(key, id);
    JobHistory job = jobs.get(id);
    if (job != null) {
      job.acknowledge();
    }
  }

  /** The keys that were acknowledged, and their jobs. */
  Map<String, JobId> keys() {
    return Map.copyOf(keys);
  }

  /** A submission did not take place. */
  void forget(JobId id) {
    jobs.remove(id);
  }

  @Nullable JobHistory job(JobId id) {
    return jobs.get(id);
  }

  Collection<JobHistory> jobs() {
    return jobs.values();
  }

  /** One of the jobs; empty if there is none. */
  Optional<JobHistory> any(SplittableRandom random) {
    List<JobHistory> all = new ArrayList<>(jobs.values());
    return all.isEmpty() ? Optional.empty() : Optional.of(all.get(random.nextInt(all.size())));
  }

  /** The job was checked and deleted. */
  void deleted(JobId id) {
    note("deleted " + id);
    deleted.add(id);
    jobs.remove(id);
  }

  boolean isDeleted(JobId id) {
    return deleted.contains(id);
  }

  Set<JobId> deletedJobs() {
    return deleted;
  }

  void add(WorkerAnswer answer) {
    note(answer.line());
    count(answer.kind() + (answer.sure() ? "" : " after an unknown outcome"));
    JobHistory job = jobs.get(answer.job());
    if (job != null) {
      job.answers().add(answer);
    } else if (!deleted.contains(answer.job())) {
      early.add(answer);
    } else if (answer.kind() != WorkerAnswer.Kind.REFUSED) {
      problem("acknowledged for a job that was deleted: " + answer);
    }
  }

  /** Gives answers to jobs that have become known since; returns those of unknown jobs. */
  List<WorkerAnswer> settle() {
    List<WorkerAnswer> left = new ArrayList<>();
    for (WorkerAnswer next = early.poll(); next != null; next = early.poll()) {
      JobHistory job = jobs.get(next.job());
      if (job == null) {
        left.add(next);
      } else {
        job.answers().add(next);
      }
    }
    early.addAll(left);
    return left;
  }

  /** Something happened, once more. */
  void count(String what) {
    counts.computeIfAbsent(what, _ -> new LongAdder()).increment();
  }

  long counted(String what) {
    LongAdder count = counts.get(what);
    return count == null ? 0 : count.sum();
  }

  Map<String, Long> counts() {
    Map<String, Long> sums = new TreeMap<>();
    counts.forEach((what, count) -> sums.put(what, count.sum()));
    return sums;
  }

  /** Something that must not happen was seen. */
  void problem(String text) {
    note("PROBLEM " + text);
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(Instant.now() + " " + text);
    }
  }

  List<String> problems() {
    return List.copyOf(problems);
  }
}

package dev.millrace.store.fs.internal.simulation;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.store.Claim;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** What callers asked a store for, and what they were told, over all lives of its process. */
final class History {
  /** Submissions whose callers were never told their id. */
  final List<JobSpec> unanswered = new ArrayList<>();

  /** Levers that the store was asked for and has not answered. */
  final List<LeverClient.Request> levers = new ArrayList<>();

  /** Those of earlier lives, whose callers ask again. */
  final Deque<LeverClient.Request> leftLevers = new ArrayDeque<>();

  /** Claims that were granted, newest last. */
  final List<Claim> claims = new ArrayList<>();

  private final Map<JobId, JobHistory> jobs = new TreeMap<>();
  private final Map<String, NoteHistory> notes = new TreeMap<>();
  private int texts;
  private int prunes;

  /** The process was killed, and another one begins. */
  void beginLife() {
    jobs.values().forEach(job -> job.pendingLines.clear()); // a crash may have taken them
    leftLevers.addAll(levers);
    levers.clear();
  }

  Collection<JobHistory> jobs() {
    return jobs.values();
  }

  Map<String, NoteHistory> notes() {
    return notes;
  }

  NoteHistory note(String name) {
    return notes.computeIfAbsent(name, _ -> new NoteHistory());
  }

  JobHistory job(JobId id) {
    return jobs.computeIfAbsent(id, JobHistory::new);
  }

  boolean knows(JobId id) {
    return jobs.containsKey(id);
  }

  /** A recent job of which that is true; null if there is none. */
  @Nullable JobHistory any(RandomGenerator random, Predicate<JobHistory> condition) {
    List<JobHistory> some = jobs.values().stream().filter(condition).toList();
    if (some.isEmpty()) {
      return null;
    }
    int recent = Math.min(some.size(), List.of(2, 8, some.size()).get(random.nextInt(3)));
    return some.get(some.size() - 1 - random.nextInt(recent));
  }

  /** A text that nobody else uses. */
  String unique(String kind) {
    return kind + "-" + ++texts;
  }

  void submitted(JobId id, JobSpec spec) {
    JobHistory job = job(id);
    job.spec = spec;
    job.certain = true;
  }

  /** From now on aborted jobs may be deleted. */
  void pruneAsked() {
    prunes++;
    jobs.values().stream().filter(job -> job.abortAsked).forEach(job -> job.mayBeGone = true);
  }

  void pruneAnswered() {
    pruneAsked();
    prunes -= 2;
  }

  void abortAsked(JobHistory job) {
    job.abortAsked = true;
    job.mayBeGone |= prunes > 0;
  }
}

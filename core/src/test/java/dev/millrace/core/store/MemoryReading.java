package dev.millrace.core.store;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Entry;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.StageFold;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.core.task.Token;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The reading half of {@link MemoryStore}. */
abstract class MemoryReading implements Reading {

  private static final long MARK = 1L << 32;

  /** What outlives a store object. */
  static final class Contents {
    final SortedMap<JobId, MemoryJob> jobs = new TreeMap<>();
    long epoch;
  }

  final SortedMap<JobId, MemoryJob> jobs;
  final Map<JobId, JobFold> folds = new HashMap<>();

  MemoryReading(Contents contents) {
    this.jobs = contents.jobs;
    jobs.forEach((id, job) -> folds.put(id, job.fold()));
  }

  /** By place in the queue, then by id. */
  List<MemoryJob> inClaimOrder() {
    Comparator<MemoryJob> byPlace =
        Comparator.comparingLong(job -> job.spec.priority().place(job.createdAt));
    return jobs.values().stream().sorted(byPlace.thenComparing(job -> job.id)).toList();
  }

  @Override
  public synchronized Optional<JobState> state(JobId id) {
    return Optional.ofNullable(folds.get(id)).map(JobFold::state);
  }

  @Override
  public synchronized Optional<JobView> find(JobId id) {
    return Optional.ofNullable(jobs.get(id))
        .map(job -> JobView.of(JobHeader.of(id, job.spec), folds.get(id)));
  }

  @Override
  public synchronized List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    List<TaskView> views = new ArrayList<>();
    JobFold fold = folds.get(id);
    if (fold != null && fold.hasStage(stage)) {
      StageFold of = fold.stage(stage);
      for (int task = from; of.hasTask(task) && views.size() < limit; task++) {
        TaskResult result = jobs.get(id).result(stage, task);
        views.add(TaskView.of(stage, task, of.task(task), jobs.get(id).input(stage, task), result));
      }
    }
    return views;
  }

  /** Positions count pieces, and tell apart what was journaled under other terms. */
  @Override
  public synchronized Draft draft(JobId id, int stage, int task, long from) {
    JobFold fold = folds.get(id);
    Token entry =
        fold != null && fold.hasStage(stage) && fold.stage(stage).hasTask(task)
            ? fold.stage(stage).task(task).journal()
            : null;
    if (entry == null || fold.stage(stage).task(task).state() == TaskState.COMPLETED) {
      return new Draft(from, from, List.of());
    }
    List<Piece> all = jobs.get(id).journal(stage, task, entry);
    long mark = entry.number() * MARK;
    long start = from - mark >= 0 && from - mark <= all.size() ? from - mark : 0;
    return new Draft(
        start == 0 ? 0 : from,
        all.isEmpty() ? 0 : mark + all.size(),
        all.subList((int) start, all.size()));
  }

  /** By everything that has something to claim, or will when a backoff ends. */
  @Override
  public synchronized Optional<QueuePlace> queuePlace(JobId id) {
    List<JobId> line =
        inClaimOrder().stream().map(job -> job.id).filter(this::hasSomethingToClaim).toList();
    return state(id).orElse(null) == JobState.PENDING && line.contains(id)
        ? Optional.of(new QueuePlace(line.indexOf(id), line.size(), null))
        : Optional.empty();
  }

  private boolean hasSomethingToClaim(JobId id) {
    JobFold fold = folds.get(id);
    return fold.state().open()
        && fold.stages().stream()
            .anyMatch(
                stage ->
                    stage.state().open()
                        && stage.count(TaskState.PENDING) + stage.count(TaskState.RETRIED) > 0);
  }

  @Override
  public synchronized List<Entry> events(JobId id, long after, int limit) {
    return !jobs.containsKey(id)
        ? List.of()
        : jobs.get(id).log.stream().filter(entry -> entry.number() > after).limit(limit).toList();
  }

  @Override
  public synchronized Optional<JobSpec> spec(JobId id) {
    return Optional.ofNullable(jobs.get(id)).map(job -> job.spec);
  }

  @Override
  public synchronized List<JobId> list(Query query) {
    List<JobId> ids =
        jobs.values().stream()
            .filter(job -> query.states().contains(folds.get(job.id).state()))
            .filter(job -> query.tag() == null || job.spec.tags().contains(query.tag()))
            .filter(job -> query.parent() == null || query.parent().equals(job.spec.parent()))
            .map(job -> job.id)
            .toList();
    int most = Math.min(query.limit(), ids.size());
    return query.newest() ? ids.subList(ids.size() - most, ids.size()) : ids.subList(0, most);
  }

  @Override
  public synchronized Map<JobState, Integer> counts() {
    Map<JobState, Integer> counts = new EnumMap<>(JobState.class);
    folds.values().forEach(fold -> counts.merge(fold.state(), 1, Integer::sum));
    return counts;
  }

  @Override
  public synchronized void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    if (jobs.containsKey(id) && atMost.toMillis() > 0) {
      wait(atMost.toMillis());
    }
  }
}

package dev.millrace.core.store.memory;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.QueueStats;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The reading part of {@link MemoryStore}. */
abstract class MemoryReader implements JobReader {

  private static final long MARK = 1L << 32;

  /** What outlives a store object. */
  static final class Contents {
    final SortedMap<JobId, MemoryJob> jobs = new TreeMap<>();
    final Map<String, SortedMap<String, String>> shelves = new HashMap<>();
    long epoch;
  }

  final SortedMap<JobId, MemoryJob> jobs;
  final Map<JobId, JobFold> folds = new HashMap<>();

  MemoryReader(Contents contents) {
    this.jobs = contents.jobs;
    jobs.forEach((id, job) -> folds.put(id, job.fold()));
  }

  /** By queue rank, then by id. */
  List<MemoryJob> inClaimOrder() {
    Comparator<MemoryJob> byPlace =
        Comparator.comparingLong(job -> priority(job.id).queueRank(job.createdAt));
    return jobs.values().stream().sorted(byPlace.thenComparing(job -> job.id)).toList();
  }

  /** The priority as submitted, or as a user changed it since. */
  Priority priority(JobId id) {
    Priority changed = folds.get(id).priority();
    return changed == null ? jobs.get(id).submitted.priority() : changed;
  }

  @Override
  public synchronized Optional<JobState> state(JobId id) {
    return Optional.ofNullable(folds.get(id)).map(JobFold::state);
  }

  @Override
  public synchronized Optional<JobView> find(JobId id) {
    return Optional.ofNullable(jobs.get(id))
        .map(job -> ViewFactory.job(JobHeader.of(id, job.submitted), folds.get(id)));
  }

  @Override
  public synchronized List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    List<TaskView> views = new ArrayList<>();
    JobFold fold = folds.get(id);
    if (fold != null && fold.hasStage(stage)) {
      StageFold of = fold.stage(stage);
      for (int task = from; of.hasTask(task) && views.size() < limit; task++) {
        views.add(view(jobs.get(id), of, task));
      }
    }
    return views;
  }

  static TaskView view(MemoryJob job, StageFold stage, int task) {
    int number = stage.number();
    return ViewFactory.task(stage, task, job.task(number, task), job.result(number, task));
  }

  @Override
  public synchronized Optional<TaskView> task(JobId id, int stage, int task) {
    return task < 1 ? Optional.empty() : tasks(id, stage, task, 1).stream().findFirst();
  }

  /** Positions count chunks, and differ for output under different terms. */
  @Override
  public synchronized OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    JobFold fold = folds.get(id);
    FencingToken entry =
        fold != null && fold.hasStage(stage) && fold.stage(stage).hasTask(task)
            ? fold.stage(stage).task(task).journalKey()
            : null;
    if (entry == null || fold.stage(stage).task(task).state() == TaskState.COMPLETED) {
      return new OutputSoFar(from, from, List.of());
    }
    List<OutputChunk> all = jobs.get(id).journal(stage, task, entry);
    long mark = entry.number() * MARK;
    long start = from - mark >= 0 && from - mark <= all.size() ? from - mark : 0;
    return new OutputSoFar(
        start == 0 ? 0 : from,
        all.isEmpty() ? 0 : mark + all.size(),
        all.subList((int) start, all.size()));
  }

  /** All jobs with tasks to claim, now or after a backoff. */
  @Override
  public synchronized Optional<QueuePosition> queuePosition(JobId id) {
    List<JobId> line =
        inClaimOrder().stream().map(job -> job.id).filter(this::hasSomethingToClaim).toList();
    return state(id).orElse(null) == JobState.PENDING && line.contains(id)
        ? Optional.of(new QueuePosition(line.indexOf(id), line.size(), null))
        : Optional.empty();
  }

  private boolean hasSomethingToClaim(JobId id) {
    JobFold fold = folds.get(id);
    return fold.state().isOpen()
        && fold.stages().stream()
            .anyMatch(
                stage ->
                    stage.state().isOpen()
                        && stage.count(TaskState.PENDING) + stage.count(TaskState.RETRIED) > 0);
  }

  @Override
  public synchronized List<LogEntry> events(JobId id, long after, int limit) {
    return !jobs.containsKey(id)
        ? List.of()
        : jobs.get(id).log.stream().filter(entry -> entry.number() > after).limit(limit).toList();
  }

  @Override
  public synchronized Optional<JobSpec> spec(JobId id) {
    return Optional.ofNullable(jobs.get(id)).map(MemoryJob::spec);
  }

  @Override
  public synchronized List<JobId> list(Query query) {
    List<JobId> ids =
        jobs.values().stream()
            .filter(job -> query.states().contains(folds.get(job.id).state()))
            .filter(job -> query.tag() == null || job.submitted.tags().contains(query.tag()))
            .filter(job -> query.parent() == null || query.parent().equals(job.submitted.parent()))
            .map(job -> job.id)
            .filter(id -> isBeyond(query, id))
            .toList();
    int most = Math.min(query.limit(), ids.size());
    return query.newest() ? ids.subList(ids.size() - most, ids.size()) : ids.subList(0, most);
  }

  private static boolean isBeyond(Query query, JobId id) {
    int order = query.beyond() == null ? 0 : id.compareTo(query.beyond());
    return query.beyond() == null || (query.newest() ? order < 0 : order > 0);
  }

  @Override
  public synchronized Map<JobState, Integer> counts() {
    Map<JobState, Integer> counts = new EnumMap<>(JobState.class);
    folds.values().forEach(fold -> counts.merge(fold.state(), 1, Integer::sum));
    return counts;
  }

  @Override
  public synchronized QueueStats queueStats() {
    Map<List<Object>, QueueStats.TypeStats> lines = new HashMap<>();
    for (MemoryJob job : jobs.values()) {
      Map<String, QueueStats.TypeStats> own = new HashMap<>();
      folds
          .get(job.id)
          .stages()
          .forEach(
              stage -> own.merge(stage.plan().type(), line(job, stage), MemoryReader::together));
      own.forEach(
          (type, line) ->
              lines.merge(List.of(type, line.priority()), waits(line), MemoryReader::together));
    }
    List<QueueStats.TypeStats> some =
        lines.values().stream()
            .filter(line -> line.pending() + line.retried() + line.running() > 0)
            .sorted(
                Comparator.comparing(QueueStats.TypeStats::type)
                    .thenComparing(QueueStats.TypeStats::priority))
            .toList();
    return new QueueStats(counts(), some);
  }

  private QueueStats.TypeStats line(MemoryJob job, StageFold stage) {
    boolean queue = folds.get(job.id).state().isOpen() && stage.state().isOpen();
    return new QueueStats.TypeStats(
        stage.plan().type(),
        priority(job.id),
        0,
        queue ? stage.count(TaskState.PENDING) : 0,
        queue ? stage.count(TaskState.RETRIED) : 0,
        stage.count(TaskState.IN_PROGRESS),
        job.createdAt);
  }

  /** The statistics of a single job: it waits, or has no oldest task. */
  private static QueueStats.TypeStats waits(QueueStats.TypeStats line) {
    boolean waits = line.pending() + line.retried() > 0;
    return new QueueStats.TypeStats(
        line.type(),
        line.priority(),
        waits ? 1 : 0,
        line.pending(),
        line.retried(),
        line.running(),
        waits ? line.oldest() : null);
  }

  private static QueueStats.TypeStats together(QueueStats.TypeStats a, QueueStats.TypeStats b) {
    Instant oldest = a.oldest();
    if (oldest == null || b.oldest() != null && b.oldest().isBefore(oldest)) {
      oldest = b.oldest();
    }
    return new QueueStats.TypeStats(
        a.type(),
        a.priority(),
        a.waiting() + b.waiting(),
        a.pending() + b.pending(),
        a.retried() + b.retried(),
        a.running() + b.running(),
        oldest);
  }

  @Override
  public synchronized void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    if (jobs.containsKey(id) && atMost.toMillis() > 0) {
      wait(atMost.toMillis());
    }
  }
}

package dev.millrace.core.store.memory;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.stats.QueueHead;
import dev.millrace.core.store.stats.QueueHead.QueuedJob;
import dev.millrace.core.store.stats.QueueStats;
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
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Reads jobs in memory, every answer by a full search. */
final class MemoryReader implements JobReader {

  private static final long MARK = 1L << 32;

  private final MemoryContents contents;

  MemoryReader(MemoryContents contents) {
    this.contents = contents;
  }

  /** Runs a read alone. */
  private <T> T alone(Supplier<T> read) {
    synchronized (contents) {
      return read.get();
    }
  }

  private Optional<MemoryJob> job(JobId id) {
    return Optional.ofNullable(contents.jobs.get(id));
  }

  @Override
  public Optional<JobState> state(JobId id) {
    return alone(() -> job(id).map(job -> job.fold().state()));
  }

  @Override
  public Optional<JobView> find(JobId id) {
    return alone(
        () -> {
          if (contents.damaged.contains(id)) {
            throw new JobException("job " + id + " is damaged", null);
          }
          return job(id).map(job -> ViewFactory.job(JobHeader.of(id, job.submitted), job.fold()));
        });
  }

  @Override
  public List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    return alone(
        () -> {
          List<TaskView> views = new ArrayList<>();
          MemoryJob job = contents.jobs.get(id);
          if (job != null && job.fold().hasStage(stage)) {
            StageFold of = job.fold().stage(stage);
            for (int task = from; of.hasTask(task) && views.size() < limit; task++) {
              views.add(ViewFactory.task(of, task, job.task(stage, task), job.result(of, task)));
            }
          }
          return views;
        });
  }

  @Override
  public Optional<TaskView> task(JobId id, int stage, int task) {
    return task < 1 ? Optional.empty() : tasks(id, stage, task, 1).stream().findFirst();
  }

  /** Positions count chunks, and differ for output under different terms. */
  @Override
  public OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    return alone(
        () -> {
          JobFold fold = job(id).map(MemoryJob::fold).orElse(null);
          FencingToken entry =
              fold != null && fold.hasStage(stage) && fold.stage(stage).hasTask(task)
                  ? fold.stage(stage).task(task).journalKey()
                  : null;
          if (entry == null || fold.stage(stage).task(task).state() == TaskState.COMPLETED) {
            return new OutputSoFar(from, from, List.of());
          }
          List<OutputChunk> all = contents.jobs.get(id).output(stage, task, entry);
          long mark = entry.number() * MARK;
          long start = from - mark >= 0 && from - mark <= all.size() ? from - mark : 0;
          return new OutputSoFar(
              start == 0 ? 0 : from,
              all.isEmpty() ? 0 : mark + all.size(),
              all.subList((int) start, all.size()));
        });
  }

  /** All jobs with tasks to claim, now or after a backoff. */
  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    return alone(
        () -> {
          List<JobId> line =
              contents.inClaimOrder().stream()
                  .filter(job -> hasSomethingToClaim(job.fold(), _ -> true))
                  .map(job -> job.id)
                  .toList();
          return state(id).orElse(null) == JobState.PENDING && line.contains(id)
              ? Optional.of(new QueuePosition(line.indexOf(id), line.size(), null))
              : Optional.empty();
        });
  }

  @Override
  public QueueHead queueHead(int limit) {
    return alone(
        () -> {
          List<QueuedJob> line =
              contents.inClaimOrder().stream()
                  .filter(job -> hasSomethingToClaim(job.fold(), _ -> true))
                  .map(MemoryReader::queued)
                  .toList();
          return new QueueHead(line.stream().limit(limit).toList(), line.size());
        });
  }

  private static QueuedJob queued(MemoryJob job) {
    String type =
        job.fold().stages().stream()
            .filter(stage -> stage.state().isOpen())
            .findFirst()
            .orElseThrow()
            .plan()
            .type();
    return new QueuedJob(job.id, type, MemoryContents.priority(job), job.createdAt, null);
  }

  /** Whether a task of an open stage of one of these types waits, even in its backoff. */
  static boolean hasSomethingToClaim(JobFold fold, Predicate<String> types) {
    return fold.state().isOpen()
        && fold.stages().stream()
            .anyMatch(
                stage ->
                    stage.state().isOpen()
                        && types.test(stage.plan().type())
                        && stage.count(TaskState.PENDING) + stage.count(TaskState.RETRIED) > 0);
  }

  @Override
  public List<LogEntry> events(JobId id, long after, int limit) {
    return alone(
        () ->
            job(id).stream()
                .flatMap(job -> job.log.stream())
                .filter(entry -> entry.number() > after)
                .limit(limit)
                .toList());
  }

  @Override
  public Optional<JobSpec> spec(JobId id) {
    return alone(() -> job(id).map(MemoryJob::spec));
  }

  @Override
  public List<JobId> list(Query query) {
    return alone(
        () -> {
          List<JobId> ids =
              contents.jobs.values().stream()
                  .filter(job -> query.states().contains(job.fold().state()))
                  .filter(job -> query.tag() == null || job.submitted.tags().contains(query.tag()))
                  .filter(
                      job ->
                          query.parent() == null || query.parent().equals(job.submitted.parent()))
                  .map(job -> job.id)
                  .filter(id -> isBeyond(query, id) && query.acceptsId(id))
                  .filter(
                      id -> !query.atGate() || find(id).flatMap(JobView::stageAtGate).isPresent())
                  .toList();
          int most = Math.min(query.limit(), ids.size());
          return query.newest() ? ids.subList(ids.size() - most, ids.size()) : ids.subList(0, most);
        });
  }

  private static boolean isBeyond(Query query, JobId id) {
    int order = query.beyond() == null ? 0 : id.compareTo(query.beyond());
    return query.beyond() == null || (query.newest() ? order < 0 : order > 0);
  }

  @Override
  public Map<JobState, Integer> counts() {
    return alone(
        () -> {
          Map<JobState, Integer> counts = new EnumMap<>(JobState.class);
          contents.jobs.values().forEach(job -> counts.merge(job.fold().state(), 1, Integer::sum));
          return counts;
        });
  }

  @Override
  public QueueStats queueStats() {
    return alone(this::stats);
  }

  private QueueStats stats() {
    Map<List<Object>, QueueStats.TypeStats> lines = new HashMap<>();
    for (MemoryJob job : contents.jobs.values()) {
      Map<String, QueueStats.TypeStats> own = new HashMap<>();
      job.fold()
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

  private static QueueStats.TypeStats line(MemoryJob job, StageFold stage) {
    boolean queue = job.fold().state().isOpen() && stage.state().isOpen();
    return new QueueStats.TypeStats(
        stage.plan().type(),
        MemoryContents.priority(job),
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
  public void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    synchronized (contents) {
      if (contents.jobs.containsKey(id) && atMost.toMillis() > 0) {
        contents.wait(atMost.toMillis());
      }
    }
  }
}

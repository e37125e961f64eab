package dev.millrace.store.postgres.internal.read;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.Priority;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobHeader;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.store.TaskView;
import dev.millrace.core.store.stats.QueueHead;
import dev.millrace.core.store.stats.QueueHead.QueuedJob;
import dev.millrace.core.store.stats.QueueStats;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.Times;
import dev.millrace.store.postgres.internal.rows.JobTables;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads jobs from the database. Thread-safe. */
public final class PostgresReader implements JobReader {
  /** Changes when a job or the output of one of its tasks does. */
  public static final String STAMP =
      "SELECT s.version || ' ' || coalesce((SELECT max(position) FROM @journal"
          + " WHERE job = s.key), 0) AS stamp FROM @job_ids i"
          + " JOIN @job_rows s ON s.key = i.key WHERE i.sort_key = ?";

  private static final Duration POLL = Duration.ofMillis(100);
  private static final int PAGE = 1_000;

  private final Database database;
  private final JobTables tables;
  private final RecentSnapshots snapshots;
  private final KeptCounts counts;

  public PostgresReader(Database database, JobTables tables) {
    this.database = database;
    this.tables = tables;
    this.snapshots = new RecentSnapshots(tables);
    this.counts = new KeptCounts(database);
  }

  /** Reads something of one job, whose content may throw anything. */
  private static <T> T ofJob(JobId id, Supplier<T> read) {
    try {
      return read.get();
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
      throw new JobException("cannot read job " + id + ": " + e, e);
    }
  }

  /** The job as it is now; empty if there is none. */
  public Optional<JobSnapshot> snapshot(JobId id) {
    return ofJob(id, () -> snapshots.find(id));
  }

  @Override
  public Optional<JobState> state(JobId id) {
    return tables.jobs().state(id);
  }

  @Override
  public Optional<JobView> find(JobId id) {
    return ofJob(
        id,
        () ->
            snapshots
                .find(id)
                .map(job -> ViewFactory.job(JobHeader.of(id, job.row().spec()), job.fold())));
  }

  @Override
  public List<TaskView> tasks(JobId id, int stage, int from, int limit) {
    return ofJob(
        id,
        () -> {
          List<TaskView> views = new ArrayList<>();
          JobSnapshot job = snapshots.find(id).orElse(null);
          if (job != null && job.fold().hasStage(stage)) {
            StageFold of = job.fold().stage(stage);
            int first = Math.max(1, from);
            int end = (int) Math.min(of.size() + 1L, first + (long) limit);
            for (int next = first; next < end; next += PAGE) {
              views(job, of, next, Math.min(end, next + PAGE), views);
            }
          }
          return views;
        });
  }

  private void views(JobSnapshot job, StageFold stage, int from, int end, List<TaskView> views) {
    List<TaskRow> rows = tables.tasks().tasks(job.row(), stage.number(), from, end - from);
    List<Long> keys = new ArrayList<>();
    for (int task = from; task < end; task++) {
      if (stage.task(task).state() == TaskState.COMPLETED) {
        keys.add(stage.task(task).stored().offset());
      }
    }
    Map<Long, TaskResult> results = tables.results().results(job.row().key(), keys);
    for (int task = from; task < end; task++) {
      TaskFold at = stage.task(task);
      TaskResult result =
          at.state() == TaskState.COMPLETED ? results.get(at.stored().offset()) : null;
      views.add(ViewFactory.task(stage, task, spec(rows, task), result));
    }
  }

  private static @Nullable TaskSpec spec(List<TaskRow> rows, int task) {
    for (TaskRow row : rows) {
      if (row.task() == task) {
        return row.spec();
      }
    }
    return null;
  }

  @Override
  public Optional<TaskView> task(JobId id, int stage, int task) {
    return task < 1 ? Optional.empty() : tasks(id, stage, task, 1).stream().findFirst();
  }

  /** A task of a job that has not completed. */
  private Optional<TaskFold> unfinished(JobSnapshot job, int stage, int task) {
    boolean there = job.fold().hasStage(stage) && job.fold().stage(stage).hasTask(task);
    return there && job.fold().stage(stage).task(task).state() != TaskState.COMPLETED
        ? Optional.of(job.fold().stage(stage).task(task))
        : Optional.empty();
  }

  @Override
  public OutputSoFar outputSoFar(JobId id, int stage, int task, long from) {
    return ofJob(
        id,
        () -> {
          JobSnapshot job = snapshots.find(id).orElse(null);
          FencingToken entry =
              job == null
                  ? null
                  : unfinished(job, stage, task).map(TaskFold::journalKey).orElse(null);
          return job == null || entry == null
              ? new OutputSoFar(from, from, List.of())
              : tables.journals().outputSoFar(job.row().key(), stage, task, entry, from);
        });
  }

  @Override
  public Optional<String> partialOutput(JobId id, int stage, int task) {
    Optional<String> reported =
        ofJob(
            id,
            () ->
                snapshots
                    .find(id)
                    .flatMap(
                        job ->
                            unfinished(job, stage, task)
                                .flatMap(
                                    at ->
                                        tables
                                            .results()
                                            .partial(job.row().key(), stage, task, at.token()))));
    return reported.isPresent() ? reported : JobReader.super.partialOutput(id, stage, task);
  }

  @Override
  public Optional<QueuePosition> queuePosition(JobId id) {
    return database.first(
        "SELECT (SELECT count(*) FROM @jobs a WHERE a.claim_type IS NOT NULL"
            + " AND (a.rank, a.sort_key) < (j.rank, j.sort_key)) AS ahead,"
            + " (SELECT count(*) FROM @jobs w WHERE w.claim_type IS NOT NULL) AS waiting"
            + " FROM @jobs j WHERE j.sort_key = ? AND j.state = 'PENDING'"
            + " AND j.claim_type IS NOT NULL",
        row -> new QueuePosition(row.getInt("ahead"), row.getInt("waiting"), null),
        SortKeys.of(id));
  }

  @Override
  public QueueHead queueHead(int limit) {
    List<QueuedJob> first =
        database.list(
            "SELECT d.id, d.created_at, j.claim_type, j.priority FROM (SELECT key, claim_type,"
                + " priority, rank, sort_key FROM @jobs WHERE claim_type IS NOT NULL"
                + " ORDER BY rank, sort_key LIMIT ?) j JOIN @documents d ON d.key = j.key"
                + " ORDER BY j.rank, j.sort_key",
            row ->
                new QueuedJob(
                    new JobId(row.getString("id")),
                    row.getString("claim_type"),
                    Priority.valueOf(row.getString("priority")),
                    Times.read(row, "created_at"),
                    null),
            limit);
    int waiting =
        database
            .first(
                "SELECT count(*) AS waiting FROM @jobs WHERE claim_type IS NOT NULL",
                row -> row.getInt("waiting"))
            .orElse(0);
    return new QueueHead(first, Math.max(first.size(), waiting));
  }

  @Override
  public List<LogEntry> events(JobId id, long after, int limit) {
    return ofJob(id, () -> tables.entries().after(id, after, limit));
  }

  @Override
  public Optional<JobSpec> spec(JobId id) {
    return ofJob(id, () -> snapshots.find(id).map(this::spec));
  }

  /** A job as submitted, with all that was added since. */
  public JobSpec spec(JobSnapshot job) {
    List<StageFold> stages = job.fold().stages();
    List<List<TaskSpec>> given = tables.tasks().given(job.row(), stages.size());
    List<StageSpec> specs = new ArrayList<>();
    for (StageFold stage : stages) {
      specs.add(stage.plan().spec().withTasks(given.get(stage.number() - 1)));
    }
    return job.row().spec().withStages(specs);
  }

  @Override
  public List<JobId> list(Query query) {
    return JobQuery.list(database, query);
  }

  @Override
  public Map<JobState, Integer> counts() {
    return counts.jobs();
  }

  @Override
  public QueueStats queueStats() {
    return counts.queueStats();
  }

  /** What all servers have counted. */
  public KeptCounts keptCounts() {
    return counts;
  }

  /** Looks at intervals: a process that only reads hears of nothing. */
  @Override
  public void awaitChange(JobId id, Duration atMost) throws InterruptedException {
    long end = System.nanoTime() + atMost.toNanos();
    String before = stamp(id);
    while (System.nanoTime() < end && !before.isEmpty() && stamp(id).equals(before)) {
      Thread.sleep(Math.min(POLL.toMillis(), Math.max(1, (end - System.nanoTime()) / 1_000_000)));
    }
  }

  private String stamp(JobId id) {
    return database.first(STAMP, row -> row.getString("stamp"), SortKeys.of(id)).orElse("");
  }
}

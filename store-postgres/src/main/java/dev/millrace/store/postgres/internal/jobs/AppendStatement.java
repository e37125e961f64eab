package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import dev.millrace.store.postgres.internal.rows.JournalRows;
import dev.millrace.store.postgres.internal.rows.ResultRows.ResultRow;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import dev.millrace.store.postgres.internal.rows.WrittenRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The appends to some jobs as one statement, with all that follows from them. It says how many rows
 * of jobs and logs it has written; if these are not two for each job, all of it has to be taken
 * back.
 */
final class AppendStatement {
  static final String QUEUED =
      "UPDATE @jobs j SET last_number = t.last, version = t.version, offered_until = NULL, state ="
          + " t.state, priority = t.priority, at_gate = t.at_gate::boolean, updated_at ="
          + " t.updated_at::timestamptz, rank = t.rank, waiting = t.waiting, claim_type ="
          + " t.claim_type, claim_at = t.claim_at::timestamptz, due_at = t.due_at::timestamptz,"
          + " running_types = t.running_types::text[], running_epochs = t.running_epochs::bigint[],"
          + " running_claims = t.running_claims::bigint[] FROM unnest(?::bigint[], ?::bigint[],"
          + " ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[],"
          + " ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) AS t"
          + " (key, before, last, version, state, priority, at_gate, updated_at, rank, waiting,"
          + " claim_type, claim_at, due_at, running_types, running_epochs, running_claims) WHERE"
          + " j.key = t.key AND j.version = t.before RETURNING j.key";

  static final String ENDED =
      "DELETE FROM @jobs j USING unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[],"
          + " ?::text[], ?::text[], ?::text[], ?::text[], ?::text[]) AS t (key, before, last,"
          + " version, state, priority, updated_at, ended_at, final_counts)"
          + " WHERE j.key = t.key AND j.version = t.before RETURNING j.key, j.sort_key, t.last,"
          + " t.version, t.state, t.priority, t.updated_at, t.ended_at, t.final_counts";

  private static final String HISTORY =
      "INSERT INTO @ended_jobs (key, sort_key, state, priority, updated_at, ended_at, last_number,"
          + " version, final_counts) SELECT key, sort_key, state, priority,"
          + " updated_at::timestamptz, ended_at::timestamptz, last, version, final_counts::json"
          + " FROM ended";

  private static final String LATE =
      "UPDATE @ended_jobs j SET last_number = t.last, version = t.version,"
          + " updated_at = t.updated_at::timestamptz, final_counts = t.final_counts::json"
          + " FROM unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[])"
          + " AS t (key, before, last, version, updated_at, final_counts)"
          + " WHERE j.key = t.key AND j.version = t.before RETURNING j.key";

  private final List<JobChange> changes;
  private final JournalRows journals;
  private final StatementBuilder statement = new StatementBuilder();
  private final List<String> changed = new ArrayList<>();

  private AppendStatement(List<JobChange> changes, JournalRows journals) {
    this.changes = changes;
    this.journals = journals;
  }

  /** Appends that nobody waits for: a later flush makes them durable. */
  static StatementBuilder of(List<JobChange> changes, JournalRows journals) {
    return new AppendStatement(changes, journals)
        .build("set_config('synchronous_commit', 'off', true)");
  }

  /**
   * Appends that are durable when their transaction ends, which tells the other servers.
   *
   * @param told the values of {@link CommitFlusher#TELL}
   * @param notification those of {@link CommitFlusher#WAIT}
   */
  static StatementBuilder durable(
      List<JobChange> changes,
      JournalRows journals,
      @Nullable Object[] told,
      Object[] notification) {
    AppendStatement append = new AppendStatement(changes, journals);
    append.statement.with("told", CommitFlusher.TELL, told);
    return append.build(CommitFlusher.WAIT).values(notification);
  }

  private StatementBuilder build(String ending) {
    queued(only(change -> !change.wasEnded() && !change.ends()));
    ended(only(JobChange::ends));
    late(only(JobChange::wasEnded));
    entries();
    addCounts(statement, counts(), "(VALUES (1)) AS always");
    tasks();
    results();
    journal();
    GrantedLeases.of(changes).addTo(statement);
    StringBuilder count = new StringBuilder();
    for (String name : changed) {
      count.append(count.isEmpty() ? "" : " + ").append("(SELECT count(*) FROM ").append(name);
      count.append(')');
    }
    return statement.select(
        "SELECT "
            + count
            + " AS written, (SELECT id FROM @incarnation) AS incarnation, "
            + Database.END_IF_IDLE
            + ", "
            + ending);
  }

  private List<JobChange> only(Predicate<JobChange> condition) {
    return changes.stream().filter(condition).toList();
  }

  private void queued(List<JobChange> some) {
    if (!some.isEmpty()) {
      changed.add("changed");
      statement.with(
          "changed",
          QUEUED,
          Columns.numbers(some, JobChange::key),
          Columns.numbers(some, JobChange::before),
          Columns.numbers(some, JobChange::last),
          Columns.numbers(some, JobChange::version),
          Columns.texts(some, it -> it.columns().state()),
          Columns.texts(some, it -> it.columns().priority()),
          Columns.texts(some, it -> String.valueOf(it.columns().atGate())),
          Columns.texts(some, it -> Columns.time(it.columns().updatedAt())),
          Columns.numbers(some, it -> it.columns().rank()),
          Columns.numbers(some, it -> it.columns().waiting()),
          Columns.texts(some, it -> it.columns().claimType()),
          Columns.texts(some, it -> claimAt(it.columns())),
          Columns.texts(some, it -> Columns.time(it.columns().dueAt())),
          Columns.texts(some, it -> it.columns().runningTypes()),
          Columns.texts(some, it -> it.columns().runningEpochs()),
          Columns.texts(some, it -> it.columns().runningClaims()));
    }
  }

  static @Nullable String claimAt(ChangedColumns columns) {
    if (columns.claimType() == null) {
      return null;
    }
    return columns.claimAt() == null ? "-infinity" : Columns.time(columns.claimAt());
  }

  private void ended(List<JobChange> some) {
    if (!some.isEmpty()) {
      changed.add("ended");
      statement.with(
          "ended",
          ENDED,
          Columns.numbers(some, JobChange::key),
          Columns.numbers(some, JobChange::before),
          Columns.numbers(some, JobChange::last),
          Columns.numbers(some, JobChange::version),
          Columns.texts(some, it -> it.columns().state()),
          Columns.texts(some, it -> it.columns().priority()),
          Columns.texts(some, it -> Columns.time(it.columns().updatedAt())),
          Columns.texts(some, it -> Columns.time(it.columns().endedAt())),
          Columns.texts(some, it -> it.columns().finalCounts()));
      statement.with("history", HISTORY);
    }
  }

  private void late(List<JobChange> some) {
    if (!some.isEmpty()) {
      changed.add("late");
      statement.with(
          "late",
          LATE,
          Columns.numbers(some, JobChange::key),
          Columns.numbers(some, JobChange::before),
          Columns.numbers(some, JobChange::last),
          Columns.numbers(some, JobChange::version),
          Columns.texts(some, it -> Columns.time(it.columns().updatedAt())),
          Columns.texts(some, it -> it.columns().finalCounts()));
    }
  }

  /** A number that is taken shows that somebody else has changed the job. */
  private void entries() {
    changed.add("logged");
    statement.with(
        "logged",
        "INSERT INTO @entries (job, first, last, version, entries) SELECT t.job, t.first, t.last,"
            + " t.version, t.entries::json FROM unnest(?::bigint[], ?::bigint[], ?::bigint[],"
            + " ?::bigint[], ?::text[]) AS t (job, first, last, version, entries)"
            + " ON CONFLICT DO NOTHING RETURNING 1",
        Columns.numbers(changes, JobChange::key),
        Columns.numbers(changes, JobChange::first),
        Columns.numbers(changes, JobChange::last),
        Columns.numbers(changes, JobChange::version),
        Columns.texts(changes, JobChange::entriesText));
  }

  private Map<String, Long> counts() {
    Map<String, Long> sums = new HashMap<>();
    for (JobChange change : changes) {
      change.counts().forEach((category, count) -> sums.merge(category, count, Long::sum));
    }
    sums.values().removeIf(sum -> sum == 0);
    return sums;
  }

  /**
   * @param condition a table: nothing is counted if it is empty
   */
  static void addCounts(StatementBuilder statement, Map<String, Long> counts, String condition) {
    if (!counts.isEmpty()) {
      statement.with(
          "counted",
          "INSERT INTO @counts (category, change)"
              + " SELECT t.category, t.change FROM "
              + condition
              + ", unnest(?::text[], ?::bigint[]) AS t (category, change)",
          counts.keySet().toArray(String[]::new),
          counts.values().toArray(Long[]::new));
    }
  }

  private void tasks() {
    List<Long> jobs = new ArrayList<>();
    List<TaskRow> rows = new ArrayList<>();
    for (JobChange change : changes) {
      for (TaskRow row : change.tasks()) {
        jobs.add(change.key());
        rows.add(row);
      }
    }
    addTasks(statement, jobs, rows);
  }

  static void addTasks(StatementBuilder statement, List<Long> jobs, List<TaskRow> tasks) {
    if (!tasks.isEmpty()) {
      WrittenRows rows = WrittenRows.of(tasks);
      statement.with(
          "kept",
          "INSERT INTO @tasks (job, stage, task, spec, rendered)"
              + " SELECT t.job, t.stage, t.task, t.spec::json, t.rendered::json FROM"
              + " unnest(?::bigint[], ?::int[], ?::int[], ?::text[], ?::text[])"
              + " AS t (job, stage, task, spec, rendered)"
              + " ON CONFLICT (job, stage, task) DO UPDATE SET rendered = EXCLUDED.rendered",
          jobs.toArray(Long[]::new),
          rows.stages(),
          rows.tasks(),
          rows.specs(),
          rows.rendered());
    }
  }

  private void journal() {
    List<JournalRow> rows = changes.stream().flatMap(change -> change.journal().stream()).toList();
    if (!rows.isEmpty()) {
      statement.with("journaled", JournalRows.INSERT_ALL, journals.numbered(rows));
    }
  }

  private void results() {
    List<Long> jobs = new ArrayList<>();
    List<ResultRow> rows = new ArrayList<>();
    for (JobChange change : changes) {
      for (ResultRow row : change.results()) {
        jobs.add(change.key());
        rows.add(row);
      }
    }
    if (!rows.isEmpty()) {
      statement.with(
          "finished",
          "INSERT INTO @results (job, key, result) SELECT t.job, t.key, t.result::json FROM"
              + " unnest(?::bigint[], ?::bigint[], ?::text[]) AS t (job, key, result)",
          jobs.toArray(Long[]::new),
          Columns.numbers(rows, ResultRow::key),
          Columns.texts(rows, ResultRow::json));
    }
  }
}

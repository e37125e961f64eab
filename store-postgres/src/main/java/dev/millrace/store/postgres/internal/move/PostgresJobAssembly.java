package dev.millrace.store.postgres.internal.move;

import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.move.EntryPositions;
import dev.millrace.core.internal.move.RecordPlan;
import dev.millrace.core.internal.move.ResultPositions;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.ArrivalNotes;
import dev.millrace.core.move.JobAssembly;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.move.UnmovableJobException;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.jobs.JobInserter;
import dev.millrace.store.postgres.internal.jobs.JobRemover;
import dev.millrace.store.postgres.internal.jobs.PostgresRepository;
import dev.millrace.store.postgres.internal.rows.EntryRows;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.JobTables;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import dev.millrace.store.postgres.internal.rows.ResultRows.ResultRow;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import dev.millrace.store.postgres.internal.rows.StagePlanJson;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes the records of a job as rows under a key that no id has yet, some at a time. */
final class PostgresJobAssembly implements JobAssembly {
  private static final int PAGE = 100;
  private static final long CHUNK = 4_000_000;

  private final PostgresRepository repository;
  private final Database database;
  private final JobTables tables;
  private final TakenOutJob job;
  private final String from;
  private final long key;
  private final long version = ThreadLocalRandom.current().nextLong();
  private final ResultPositions positions = new ResultPositions();
  private final Map<String, String> notes = new HashMap<>();
  private final List<LogEntry> entries = new ArrayList<>();
  private final List<ResultRow> results = new ArrayList<>();
  private final List<JournalRow> journal = new ArrayList<>();
  private long resultSize;
  private JobRecord.@Nullable Document document;
  private @Nullable TaskRowWriter tasks;
  private @Nullable JobRow described;
  private @Nullable JobFold fold;
  private boolean published;

  private PostgresJobAssembly(
      PostgresRepository repository, TakenOutJob job, String from, long key) {
    this.repository = repository;
    this.database = repository.database();
    this.tables = repository.rows();
    this.job = job;
    this.from = from;
    this.key = key;
  }

  /** Starts with a new key; what an interrupted move has left of the job is deleted. */
  static PostgresJobAssembly start(PostgresRepository repository, TakenOutJob job, String from) {
    discard(repository.database(), job.id());
    long key =
        repository
            .database()
            .first(
                "INSERT INTO @arriving_jobs (sort_key, key) VALUES (?,"
                    + " ((extract(epoch FROM clock_timestamp()) * 1000)::bigint << 20)"
                    + " + nextval(?)) RETURNING key",
                row -> row.getLong(1),
                SortKeys.of(job.id()),
                repository.database().inSchema("@job_counter"))
            .orElseThrow();
    return new PostgresJobAssembly(repository, job, from, key);
  }

  private static void discard(Database database, JobId id) {
    database.inTransaction(
        statements -> {
          statements.endIfIdle();
          List<Long> keys =
              statements.list(
                  "DELETE FROM @arriving_jobs WHERE sort_key = ? RETURNING key",
                  row -> row.getLong(1),
                  SortKeys.of(id));
          JobRemover.removeContents(statements, keys.toArray(Long[]::new));
          return keys;
        });
  }

  @Override
  public void accept(JobRecord record) {
    switch (record) {
      case JobRecord.Document given -> begin(given);
      case JobRecord.StageTypes _ -> {} // they are in the document and the log
      case JobRecord.Task given -> tasks().add(given);
      case JobRecord.Result given -> result(given);
      case JobRecord.Entry given -> entry(given);
      case JobRecord.Partial given -> partial(given);
      case JobRecord.Journal given -> journal(given);
      case JobRecord.Note given -> notes.put(given.collection(), given.text());
      case JobRecord.ForeignField(var name, var _) ->
          throw new UnmovableJobException(
              "a database cannot hold the field \"" + name + "\" of its meta.json");
      case JobRecord.ForeignFile(var path, var _, var _) ->
          throw new UnmovableJobException("a database cannot hold its file " + path);
    }
  }

  private void begin(JobRecord.Document given) {
    document = given;
    tasks = new TaskRowWriter(database, key, given.spec(), plan());
  }

  private JobRecord.Document document() {
    return Objects.requireNonNull(document, "the first record is the document");
  }

  private JobPlan plan() {
    return RecordPlan.of(document());
  }

  private TaskRowWriter tasks() {
    return Objects.requireNonNull(tasks, "the first record is the document");
  }

  /** Writes the document, once all tasks are known. */
  private void describe() {
    if (described != null) {
      return;
    }
    List<List<TaskSpec>> inline = tasks().finish();
    JobRow row =
        new JobRow(
            key,
            job.id(),
            document().spec(),
            inline,
            plan(),
            JobState.CREATED,
            0,
            version,
            List.of());
    database.update(
        "INSERT INTO @documents (key, id, created_at, document, plan, parent, tags)"
            + " VALUES (?, ?, ?, ?::json, ?::json, ?, ?)",
        key,
        job.id().value(),
        row.createdAt(),
        row.document(),
        StagePlanJson.write(row.plan()),
        row.spec().parent() == null ? null : row.spec().parent().value(),
        row.spec().tags().toArray(String[]::new));
    described = row;
    fold = JobFold.created(row.plan(), TransitionListener.IGNORED);
  }

  private void result(JobRecord.Result given) {
    describe();
    ResultRow row = ResultRow.of(tables.results().newKey(), given.result());
    positions.put(given.stage(), given.task(), row.key(), 1);
    results.add(row);
    resultSize += row.json().length();
    if (results.size() >= PAGE || resultSize >= CHUNK) {
      flushResults();
    }
  }

  private void flushResults() {
    if (!results.isEmpty()) {
      database.update(
          "INSERT INTO @results (job, key, result) SELECT ?, t.key, t.result::json"
              + " FROM unnest(?::bigint[], ?::text[]) AS t (key, result)",
          key,
          results.stream().map(ResultRow::key).toArray(Long[]::new),
          results.stream().map(ResultRow::json).toArray(String[]::new));
      results.clear();
      resultSize = 0;
    }
  }

  private void entry(JobRecord.Entry given) {
    describe();
    flushResults();
    LogEntry entry = EntryPositions.put(given.entry(), positions);
    fold().apply(entry);
    entries.add(entry);
    if (entries.size() >= PAGE) {
      flushEntries();
    }
  }

  private void flushEntries() {
    if (!entries.isEmpty()) {
      database.update(
          "INSERT INTO @entries (job, first, last, version, entries) VALUES (?, ?, ?, ?, ?::json)",
          key,
          entries.getFirst().number(),
          entries.getLast().number(),
          version,
          EntryRows.write(entries));
      entries.clear();
    }
  }

  private JobFold fold() {
    return Objects.requireNonNull(fold, "the log comes first");
  }

  private FencingToken claim(int stage, int task) {
    return Objects.requireNonNull(task(stage, task).token(), "only a task that ran has output");
  }

  private TaskFold task(int stage, int task) {
    return fold().stage(stage).task(task);
  }

  private void partial(JobRecord.Partial given) {
    FencingToken claim = claim(given.stage(), given.task());
    tables
        .results()
        .keepPartial(
            key,
            new ClaimKey(given.stage(), given.task(), claim),
            new PartialOutput(given.output(), given.receipt()));
  }

  private void journal(JobRecord.Journal given) {
    ClaimKey claim = new ClaimKey(given.stage(), given.task(), claim(given.stage(), given.task()));
    FencingToken entry = Objects.requireNonNull(task(given.stage(), given.task()).journalKey());
    JournalRow row = new JournalRow(job.id(), key, claim, entry, given.chunk());
    row.under(repository.incarnation());
    journal.add(row);
    if (journal.size() >= PAGE) {
      flushJournal();
    }
  }

  private void flushJournal() {
    if (!journal.isEmpty()) {
      tables.journals().insertArriving(journal);
      journal.clear();
    }
  }

  @Override
  public void complete() {
    describe();
    flushResults();
    flushEntries();
    flushJournal();
  }

  /** The job as it is stored. */
  private JobRow row() {
    return MovedJobRows.assembled(
        database, job.id(), key, fold().state(), fold().lastNumber(), version);
  }

  @Override
  public void readBack(Consumer<JobRecord> records) {
    PostgresJobExporter.write(database, tables, row(), records);
    notes.forEach((collection, text) -> records.accept(new JobRecord.Note(collection, text)));
  }

  @Override
  public boolean publish() {
    notes.put(ArrivalNotes.COLLECTION, ArrivalNotes.text(job, from));
    JobRow row = row();
    published = true; // from here on it may be
    published = JobInserter.show(repository, row, from, notes);
    return published;
  }

  @Override
  public void close() {
    if (!published) {
      try {
        discard(database, job.id());
      } catch (RuntimeException e) { // what was thrown first is the reason
        System.getLogger("dev.millrace.store")
            .log(
                System.Logger.Level.WARNING,
                "could not remove the unfinished copy of job " + job.id() + ": " + e.getMessage());
      }
    }
  }
}

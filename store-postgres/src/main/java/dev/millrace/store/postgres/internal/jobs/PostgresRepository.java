package dev.millrace.store.postgres.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.rules.TaskFold;
import dev.millrace.core.internal.store.ConcurrentUpdateException;
import dev.millrace.core.internal.store.JobRepository;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.FencingToken;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.Moment;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.store.postgres.internal.db.CommitFlusher;
import dev.millrace.store.postgres.internal.db.Database;
import dev.millrace.store.postgres.internal.db.ServerLease;
import dev.millrace.store.postgres.internal.jobs.JobWriter.Commit;
import dev.millrace.store.postgres.internal.jobs.JournalWriter.Batch;
import dev.millrace.store.postgres.internal.jobs.PostgresJob.At;
import dev.millrace.store.postgres.internal.read.PostgresReader;
import dev.millrace.store.postgres.internal.rows.JobRow;
import dev.millrace.store.postgres.internal.rows.JobTables;
import dev.millrace.store.postgres.internal.rows.JournalRow;
import dev.millrace.store.postgres.internal.rows.NoteRows;
import dev.millrace.store.postgres.internal.rows.ResultRows.ResultRow;
import dev.millrace.store.postgres.internal.rows.SortKeys;
import dev.millrace.store.postgres.internal.rows.TaskRows.TaskRow;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a database, for one of its servers. {@link JobWriter} changes them; a change counts
 * only if nobody else has changed the job since it was read. Thread-safe.
 */
public final class PostgresRepository implements JobRepository<PostgresJob> {
  /** Jobs that are claimed in one transaction. */
  private static final int MOST_TOGETHER = 100;

  private final Database database;
  private final ServerLease server;
  private final LongSupplier epoch;
  private final ProcessTimeline timeline;
  private final CommitFlusher flusher;
  private final JobTables tables;
  private final JobTexts texts;
  private final PostgresClaimIndex index;
  private final PostgresLeases leases;
  private final PostgresReader reader;
  private final NoteRows notes;
  private final JobWriter writer;
  private final JournalWriter journals;
  private final boolean listens;
  private final JobRemover remover;
  private final UnreadableJobs unreadable;

  /** Gets the jobs that other servers have changed. */
  private volatile Consumer<JobId> changed = _ -> {};

  /** New jobs that are as they were inserted, for the first who reads them. */
  private final Map<JobId, PostgresJob> insertedJobs = new ConcurrentHashMap<>();

  /**
   * @param clock of the database
   * @param epoch of the tokens of claims, mostly that of {@code server}
   * @param listens whether it soon hears of what other servers change
   */
  public PostgresRepository(
      Database database, ServerLease server, Clock clock, LongSupplier epoch, boolean listens) {
    this.database = database;
    this.listens = listens;
    this.server = server;
    this.epoch = epoch;
    this.timeline = new ProcessTimeline(clock);
    this.flusher = new CommitFlusher(database, server.epoch());
    this.tables = JobTables.of(database);
    this.texts = new JobTexts(tables.tasks(), tables.results());
    this.index = new PostgresClaimIndex(database, timeline, server);
    this.leases = new PostgresLeases(database, server::epoch);
    this.reader = new PostgresReader(database, tables);
    this.notes = new NoteRows(database);
    this.writer = new JobWriter(database, tables.journals(), flusher);
    this.journals =
        new JournalWriter(
            new JournalAppender(tables.journals(), server, flusher), id -> changed.accept(id));
    this.remover = new JobRemover(database);
    this.unreadable = new UnreadableJobs(database);
  }

  public Database database() {
    return database;
  }

  ProcessTimeline timeline() {
    return timeline;
  }

  public JobTables rows() {
    return tables;
  }

  JobTexts texts() {
    return texts;
  }

  public long incarnation() {
    return flusher.incarnation();
  }

  @Override
  public Moment now() {
    return timeline.now();
  }

  @Override
  public long epoch() {
    return epoch.getAsLong();
  }

  @Override
  public boolean isOver(long other) {
    return other != epoch() && server.isOver(other);
  }

  @Override
  public void requireIntact() {
    server.requireAlive();
  }

  /**
   * No other server was there: what was measured by its clock counts no longer.
   *
   * @return jobs to be read at once
   */
  public List<JobId> restartTimes() {
    restartLeases();
    return index.resetTimes();
  }

  /** No other server was there to hear of workers in other processes: they get their time again. */
  public void restartLeases() {
    leases.restartAll(now().steady());
  }

  @Override
  public @Nullable PostgresJob load(JobId id) {
    PostgresJob inserted = insertedJobs.remove(id);
    return inserted != null ? inserted : unreadable.observe(id, () -> read(id));
  }

  private @Nullable PostgresJob read(JobId id) {
    JobRow seen = index.rows().take(id);
    Optional<JobRow> row = seen == null ? tables.jobs().find(id) : Optional.of(seen);
    return row.map(this::job).orElse(null);
  }

  PostgresJob job(JobRow row) {
    return new PostgresJob(
        row,
        entries -> tables.entries().forEach(row, entries),
        timeline,
        texts,
        flusher.incarnation());
  }

  @Override
  public String version(JobId id) {
    try {
      return tables.jobs().stamp(id);
    } catch (StoreException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Override
  public boolean isCurrent(PostgresJob job) {
    return job.incarnation() == flusher.incarnation()
        && (job.takeFresh() || tables.jobs().isVersion(job.key(), job.version()));
  }

  @Override
  public Collection<PostgresJob> perhapsOutdated(Collection<PostgresJob> jobs) {
    Map<Long, PostgresJob> byKey = new HashMap<>();
    jobs.forEach(job -> byKey.put(job.key(), job));
    Map<Long, Long> versions = new HashMap<>();
    byKey.forEach((key, job) -> versions.put(key, job.version()));
    return tables.jobs().outdated(versions).stream().map(byKey::get).toList();
  }

  @Override
  public long append(PostgresJob job, JobUpdate update) {
    if (update.entries().isEmpty()) {
      return 0;
    }
    Batch journal = journals.begin(job.id());
    Commit commit = Commit.NONE;
    try {
      JobChange change = JobChange.of(job, update, journal.rows());
      commit = writer.append(change);
      enqueued(change);
      return commit.number();
    } finally {
      journals.end(journal, commit.number(), commit.incarnation());
    }
  }

  @Override
  public int mostTogether() {
    return MOST_TOGETHER;
  }

  @Override
  public List<Long> appendTogether(List<Append<PostgresJob>> appends) {
    List<Batch> journal = new ArrayList<>();
    List<Commit> commits = List.of();
    try {
      List<JobChange> changes = new ArrayList<>();
      for (Append<PostgresJob> append : appends) {
        journal.add(journals.begin(append.job().id()));
        changes.add(JobChange.of(append.job(), append.update(), journal.getLast().rows()));
      }
      commits = writer.appendAll(changes);
      changes.forEach(this::enqueued);
    } finally {
      for (int i = 0; i < journal.size(); i++) {
        Commit commit = commits.isEmpty() ? Commit.NONE : commits.get(i);
        journals.end(journal.get(i), commit.number(), commit.incarnation());
      }
    }
    return commits.stream().map(Commit::number).toList();
  }

  /** A job may have more to claim. */
  private void enqueued(JobChange change) {
    if (change.enqueued()) {
      index.raise(change.columns().rank());
    }
  }

  /** A new job was inserted; returns when that is durable. */
  void inserted(PostgresJob job, long incarnation) {
    job.takeArrival();
    long rank = job.priority().queueRank(job.row().createdAt());
    long seen = incarnation;
    if (seen != flusher.incarnation()) {
      flusher.observe();
      seen = presentIncarnation(job.id()); // the crash was before the job, if that is there
    }
    long commit = flusher.committed(job.id(), rank, seen);
    index.raise(rank);
    flusher.await(commit);
    insertedJobs.put(job.id(), job);
  }

  /** The incarnation of the database that has a job; 0 if it is not there. */
  private long presentIncarnation(JobId id) {
    return database
        .first(
            "SELECT (SELECT id FROM @incarnation) FROM @job_ids WHERE sort_key = ?",
            row -> row.getLong(1),
            SortKeys.of(id))
        .orElse(0L);
  }

  /** Notices a crash of the database before anybody changes something. */
  public void observeIncarnation() {
    flusher.observe();
  }

  /** Returns when everything is durable that any server has committed. */
  void flushOthers() {
    flusher.await(flusher.committed(List.of(), CommitFlusher.NO_WORK, flusher.incarnation()));
  }

  /** Sets which jobs are in memory. */
  public void loaded(Function<JobId, @Nullable PostgresJob> jobs) {
    index.rows().loaded(jobs);
  }

  /** Sets who gets the jobs that other servers have changed. */
  public void onChanged(Consumer<JobId> listener) {
    changed = listener;
  }

  /** Results and partial output are kept for their claim, and journals check what they belong to. */
  @Override
  public boolean refusesOutdatedSteps() {
    return true;
  }

  @Override
  public boolean isKnownOutdated(PostgresJob job) {
    return index.rows().hasNewer(job);
  }

  /** Nobody has read a job that was just inserted. */
  public void forgetInserted(JobId id) {
    insertedJobs.remove(id);
  }

  @Override
  public boolean mayOutliveEntries() {
    return true;
  }

  @Override
  public void awaitDurable(long commit) {
    flusher.await(commit);
  }

  @Override
  public long lastDurable() {
    return flusher.lastDurable();
  }

  @Override
  public @Nullable StoreException failed(PostgresJob job, @Nullable IOException cause) {
    return cause == null ? null : new StoreException(explain(cause), cause);
  }

  @Override
  public String explain(IOException cause) {
    return String.valueOf(cause.getMessage());
  }

  @Override
  public boolean isOfOneJob(StoreException problem) {
    return false; // one that cannot be read throws something else
  }

  @Override
  public void letGo(PostgresJob job) {
    if (job.dueAt(now().steady()) != null) {
      index.updateTimes(job);
    }
  }

  @Override
  public TaskSpec task(PostgresJob job, StageFold stage, int task) {
    return texts.task(job, stage.number(), task).spec();
  }

  @Override
  public Outcome keepTasks(
      PostgresJob job, int stage, String type, int known, List<TaskSpec> tasks) {
    List<TaskRow> rows = new ArrayList<>();
    long bytes = 0;
    for (TaskSpec task : tasks) {
      String json = Json.write(JobDocument.task(task));
      bytes += json.length();
      TaskSpec kept = JobDocument.task(Json.parse(json), "task");
      rows.add(new TaskRow(stage, known + rows.size() + 1, kept, null));
    }
    if (bytes > 0 && tables.tasks().bytes(job.row()) + bytes > JobSizeLimits.MAX_JOB_BYTES) {
      return new Outcome.Refused(
          Outcome.Reason.TOO_LARGE,
          "a job has at most " + JobSizeLimits.MAX_JOB_BYTES + " bytes of input");
    }
    rows.forEach(row -> job.unwritten().put(new At(row.stage(), row.task()), row));
    return Outcome.DONE;
  }

  /** The append of the entry that names its key writes it. */
  @Override
  public KeptResult keepResult(PostgresJob job, Claim claim, TaskResult result) {
    long key = tables.results().newKey();
    job.unwrittenResults().put(key, ResultRow.of(key, result));
    return new KeptResult(new Fact.Detail.Completed(key, 1), 0);
  }

  @Override
  public boolean keepsResultsWithEntries() {
    return true;
  }

  @Override
  public void keepPartial(PostgresJob job, Claim claim, PartialOutput partial) {
    tables.results().keepPartial(job.key(), claim.key(), partial);
  }

  @Override
  public void appendJournal(PostgresJob job, ClaimKey claim, OutputChunk chunk) throws IOException {
    TaskFold task = job.fold().stage(claim.stage()).task(claim.task());
    FencingToken entry = Objects.requireNonNull(task.journalKey(), "it was claimed");
    JournalRow row = new JournalRow(job.id(), job.key(), claim, entry, chunk);
    boolean own = Objects.requireNonNull(task.lastClaim(), "it was claimed").lease() == null;
    if (own && fencesJournals()) {
      journals.add(job.id(), row);
    } else if (!tables.journals().append(row, job.version())) {
      throw new ConcurrentUpdateException("job " + job.id() + " was changed");
    }
  }

  @Override
  public boolean fencesJournals() {
    return listens;
  }

  /** Writes journals that wait, once. */
  public void writeJournalsNow() {
    journals.writeAll();
  }

  /** Writes journals until it is closed. */
  public void writeJournals() throws InterruptedException {
    journals.run();
  }

  @Override
  public TaskJournal readJournal(PostgresJob job, StageFold stage, int task) {
    return tables
        .journals()
        .journal(job.key(), stage.number(), task, stage.task(task).journalKey());
  }

  @Override
  public JsonObject frozenTerms(PostgresJob job, long entry) {
    LogEntry frozen =
        tables
            .entries()
            .entry(job.key(), entry)
            .orElseThrow(() -> new IllegalStateException("its log has no entry " + entry));
    return ((Fact.TermsFrozen) frozen.fact()).terms();
  }

  @Override
  public Collection<JobId> endedBefore(Instant before, Set<JobState> states) {
    return remover.endedBefore(before, states);
  }

  @Override
  public void remove(Collection<JobId> ids, Consumer<JobId> removed) {
    List<JobId> gone = remover.remove(ids);
    for (JobId id : gone) {
      flusher.committed(id, CommitFlusher.NO_WORK, flusher.incarnation());
    }
    gone.forEach(removed);
  }

  @Override
  public void tryWriting() {
    server.renew();
    server.requireAlive();
    journals.requireWritten();
  }

  @Override
  public PostgresClaimIndex index() {
    return index;
  }

  @Override
  public PostgresLeases leases() {
    return leases;
  }

  @Override
  public PostgresReader reader() {
    return reader;
  }

  @Override
  public NoteRows notes() {
    return notes;
  }

  /** How many jobs cannot be read. */
  public long unreadableJobs() {
    return unreadable.count();
  }

  /** The same, as it was a moment ago; asks nobody. */
  public long knownUnreadableJobs() {
    return unreadable.known();
  }

  /**
   * Wakes those who wait: other servers have enqueued something.
   *
   * @param rank its first place in the claim order
   */
  public void workElsewhere(long rank) {
    index.raise(rank);
  }

  /** Jobs whose running tasks a server that is gone has left. */
  public List<JobId> lostClaims() {
    return index.lostClaims();
  }

  /** Jobs that have changed since then. */
  public List<JobId> changedSince(Instant time) {
    return index.changedSince(time);
  }

  /** Makes everything durable that no one has waited for. */
  public void flush() {
    journals.writeAll();
    flusher.awaitAll();
  }

  /** Wakes everyone who waits, for good. */
  public void close() {
    index.close();
    journals.close();
  }
}

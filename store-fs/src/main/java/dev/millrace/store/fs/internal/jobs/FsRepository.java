package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.JobRepository;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.internal.store.Leases;
import dev.millrace.core.internal.store.LeasesInMemory;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.AnsweredTask;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.NoteFiles;
import dev.millrace.store.fs.internal.files.PendingTransition;
import dev.millrace.store.fs.internal.files.RecentJobCache;
import dev.millrace.store.fs.internal.files.StagedJobFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.files.TokenJournal;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import dev.millrace.store.fs.internal.queue.FinishRate;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a workspace, for its owner: a job is a directory in the directory of its state, and a
 * commit is a sync that many threads share.
 *
 * <p>The order of writes decides what a power loss can do. Claiming: rename, then append. A user's
 * lever: say what is intended, rename, append, each durable before the next. Ending: append, then
 * rename.
 */
public final class FsRepository implements JobRepository<FsJob> {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final FsSettings settings;
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final ClaimQueue queue;
  private final FsReader reader;
  private final NoteFiles notes;
  private final EndedJobs ended;
  private final long epoch;
  private final Leases leases = new LeasesInMemory();
  private final FinishRate rate = new FinishRate();

  /** The valid bytes of logs to which a write failed. */
  private final Map<JobId, Long> cut = new ConcurrentHashMap<>();

  private final RecentJobCache<JobOnDisk> seen = new RecentJobCache<>();

  /** Journals to delete once their tasks are durably completed. */
  private record UnneededFile(Path file, long commit) {}

  private final Queue<UnneededFile> unneeded = new ConcurrentLinkedQueue<>();

  public FsRepository(FsSettings settings, GroupCommit commits, long epoch) {
    this.settings = settings;
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.commits = commits;
    this.queue = new ClaimQueue(settings.clock());
    this.reader = new FsReader(disk, layout);
    this.notes = new NoteFiles(disk, layout, commits);
    this.ended = new EndedJobs(disk, layout, reader, commits);
    this.epoch = epoch;
  }

  @Override
  public Instant now() {
    return settings.clock().instant();
  }

  @Override
  public long epoch() {
    return epoch;
  }

  /** One process at a time owns a workspace. */
  @Override
  public boolean isOver(long other) {
    return other != epoch;
  }

  @Override
  public void requireIntact() {
    commits.requireIntact();
  }

  @Override
  public ClaimQueue index() {
    return queue;
  }

  @Override
  public Leases leases() {
    return leases;
  }

  @Override
  public FsReader reader() {
    return reader;
  }

  @Override
  public NoteStore notes() {
    return notes;
  }

  /** How fast jobs finished recently. */
  public FinishRate finishRate() {
    return rate;
  }

  /** Jobs in their final directories. */
  public EndedJobs ended() {
    return ended;
  }

  @Override
  public @Nullable FsJob load(JobId id) {
    try {
      Optional<JobState> directoryState = layout.lookUp(disk, id);
      if (directoryState.isEmpty()) {
        return null;
      }
      FsJob job = new FsJob(id, disk, layout, directoryState.get());
      if (directoryState.get().isFinal()) {
        loadEnded(job);
      } else {
        loadUnfinished(job);
      }
      return job;
    } catch (NoSuchFileException e) {
      return null; // it was just moved or removed
    } catch (EventLog.DamagedLogException e) {
      throw StoreErrors.ofJob("job " + id + " is damaged and skipped", e);
    } catch (IOException e) {
      throw StoreErrors.ofJob("cannot read job " + id, e);
    } catch (UncheckedIOException e) {
      throw StoreErrors.of("cannot read job " + id, e.getCause());
    }
  }

  private void loadUnfinished(FsJob job) throws IOException {
    Long whole = cut.get(job.id());
    if (whole != null) {
      EventLog.cut(job.at(), whole); // else claims might count that no worker knows of
    }
    JobOnDisk read = JobOnDisk.read(job.location(), job, null, settings.recoveryCeiling());
    job.load(read);
    // What this owner dropped from memory was durable; a sync for each of many waiting jobs is
    // slow.
    boolean letGo =
        job.directoryState() == JobState.PENDING && whole == null && queue.isKnown(job.id());
    if (!letGo || read.log().torn() != null) {
      repairLog(read, job.withEntries());
    }
    cut.remove(job.id());
  }

  /** An ended job is read from what is known of it, and never returns to another state. */
  private void loadEnded(FsJob job) throws IOException {
    JobOnDisk found = JobOnDisk.read(job.location(), job, seen.get(job.id()), null);
    if (found.log().length() > 0) {
      seen.put(job.id(), found, found.size());
    }
    job.load(found.copy());
  }

  /**
   * Cuts off what a crash left at the end of a log, and syncs the rest: the last owner may have
   * been killed before its sync, and what is added now will be acknowledged.
   */
  private void repairLog(JobOnDisk job, UnsyncedChanges unsynced) throws IOException {
    Path log = job.at().file(EventLog.FILE);
    if (job.log().torn() != null) {
      LOG.log(
          Level.WARNING,
          "job "
              + job.id()
              + ": cut off a torn line of "
              + EventLog.FILE
              + ", "
              + job.log().torn());
      disk.truncate(log, job.log().length());
      unsynced.addFile(log);
    }
    if (job.log().length() > 0) {
      unsynced.addFile(log).addDirectory(job.at().dir());
    }
    if (job.log().length() > 0 || job.directoryState() != JobState.PENDING) {
      unsynced.addDirectory(layout.of(job.directoryState()));
    }
  }

  /** Only the owner changes jobs. What is moved by hand, a failing write or the scanner finds. */
  @Override
  public boolean isCurrent(FsJob job) {
    return true;
  }

  @Override
  public long append(FsJob job, JobUpdate update) throws IOException {
    List<LogEntry> entries = update.entries();
    JobOnDisk read = job.takeRead();
    if (job.directoryState().isFinal() && entries.isEmpty()) {
      return 0; // it was only read
    }
    if (job.directoryState().isFinal() && read != null) {
      repairLog(read, job.withEntries());
    }
    commits.commit(job.takeBeforeEntries()); // what an entry refers to is on disk before the entry
    UnsyncedChanges unsynced = job.takeWithEntries();
    moveFirst(job, entries, unsynced);
    if (!job.directoryState().isFinal() && completesTask(entries)) {
      job.files().publishResult(job.at());
    }
    job.appendLog(entries, unsynced);
    if (!finish(job, unsynced)) {
      queue.put(job);
    }
    commits.enlist(unsynced);
    for (Path file : job.takeUnneededJournals()) {
      unneeded.add(new UnneededFile(file, unsynced.lastSync()));
    }
    return unsynced.lastSync();
  }

  private static boolean completesTask(List<LogEntry> entries) {
    return entries.stream()
        .anyMatch(
            entry ->
                entry.fact() instanceof Fact.TaskChanged task
                    && task.event() == TaskEvent.COMPLETE);
  }

  /** The renames that come before the entries which say the same. */
  private void moveFirst(FsJob job, List<LogEntry> entries, UnsyncedChanges unsynced)
      throws IOException {
    PendingTransition lever = PendingTransition.of(entries, job.fold());
    if (lever != null && lever.to() != job.directoryState()) {
      lever.write(job.at(), unsynced);
      if (job.hasLog()) {
        unsynced.addFile(job.at().file(EventLog.FILE));
      }
      commits.commit(unsynced);
      move(job, lever.to(), unsynced);
      commits.commit(unsynced);
    } else if (job.directoryState() == JobState.PENDING && job.fold().startedAt() != null) {
      // Then the log of a waiting job need not be read to know that it waits. A file must be synced
      // under the name that it has.
      commits.commit(unsynced);
      commits.awaitSync(job.commit());
      move(job, JobState.IN_PROGRESS, unsynced);
    }
  }

  /** Renames the job's directory; {@code unsynced} gets the new name to sync. */
  private void move(FsJob job, JobState to, UnsyncedChanges unsynced) throws IOException {
    Path from = job.at().dir();
    disk.rename(from, layout.of(to, job.id()));
    job.movedTo(to);
    unsynced.addDirectory(layout.of(to));
  }

  /** Moves a job that the rules ended to its final directory; everything is durable then. */
  private boolean finish(FsJob job, UnsyncedChanges unsynced) throws IOException {
    JobState end = job.fold().state();
    if (job.directoryState().isFinal() || end != JobState.COMPLETED && end != JobState.FAILED) {
      return false;
    }
    job.files().writeFinalFiles(job.at(), job.fold(), unsynced);
    commits.commit(unsynced);
    tidy(job);
    JobFiles.publish(job.at(), JobMetaFile.FILE);
    move(job, end, unsynced);
    commits.commit(unsynced.addDirectory(job.at().dir()));
    queue.remove(job.id());
    rate.finished(job.fold());
    job.takeUnneededJournals();
    return true;
  }

  /** Deletes what the ended job does not need: its end is in the log and cannot be undone. */
  private static void tidy(FsJob job) {
    try {
      job.files().deleteUnneeded(job.at(), job.fold());
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "job "
              + job.id()
              + ": cannot delete a file that is no longer needed: "
              + StoreErrors.explain(e));
    }
  }

  @Override
  public void awaitDurable(long commit) {
    commits.requireIntact();
    commits.awaitSync(commit);
    if (!unneeded.isEmpty()) {
      deleteUnneeded();
    }
  }

  /**
   * Deletes journals whose tasks are durably completed, so that no attempt resumes from them. One
   * that remains is removed with the job's other files.
   */
  private void deleteUnneeded() {
    long durable = commits.lastSync();
    for (UnneededFile next = unneeded.peek();
        next != null && next.commit() <= durable;
        next = unneeded.peek()) {
      if (unneeded.remove(next)) {
        delete(next.file());
      }
    }
  }

  private void delete(Path file) {
    try {
      disk.delete(file);
    } catch (NoSuchFileException e) {
      // it never existed, or the job moved
    } catch (IOException e) {
      LOG.log(Level.WARNING, file + " could not be removed: " + StoreErrors.explain(e));
    }
  }

  @Override
  public long lastDurable() {
    return commits.lastSync();
  }

  @Override
  public @Nullable StoreException failed(FsJob job, @Nullable IOException cause) {
    if (cause instanceof NoSuchFileException && isGone(job, cause)) {
      return null;
    }
    if (!job.directoryState().isFinal()) {
      cut.put(job.id(), job.logLength());
    }
    return cause == null ? null : StoreErrors.ofJob("cannot write job " + job.id(), cause);
  }

  private boolean isGone(FsJob job, IOException cause) {
    Path dir = job.at().dir();
    try {
      if (disk.kind(dir) != Disk.Kind.NOTHING) {
        return false;
      }
      queue.remove(job.id());
      if (!job.directoryState().isFinal() && layout.lookUp(disk, job.id()).isEmpty()) {
        LOG.log(
            Level.ERROR,
            "job "
                + job.id()
                + " has vanished from "
                + dir.getParent()
                + "; was it deleted by hand? the job is dropped, other jobs continue");
      }
      return true;
    } catch (IOException further) {
      cause.addSuppressed(further);
      return false;
    }
  }

  @Override
  public String explain(IOException cause) {
    return cause instanceof JobFiles.MalformedJobException
        ? String.valueOf(cause.getMessage())
        : StoreErrors.explain(cause);
  }

  @Override
  public boolean isOfOneJob(StoreException problem) {
    return StoreErrors.isOfOneJob(problem);
  }

  @Override
  public void letGo(FsJob job) {
    Instant deadline = job.queueDeadline();
    if (deadline != null) {
      queue.expireAt(deadline, job.id());
    }
  }

  @Override
  public TaskSpec task(FsJob job, StageFold stage, int task) throws IOException {
    return job.files().task(job.at(), stage, task);
  }

  @Override
  public Outcome keepTasks(FsJob job, int stage, String type, int known, List<TaskSpec> tasks)
      throws IOException {
    byte[] lines = StagedJobFiles.taskLines(tasks);
    if (job.files().taskBytes(job.at(), job.fold()) + lines.length > JobSizeLimits.MAX_JOB_BYTES) {
      return new Outcome.Refused(
          Outcome.Reason.TOO_LARGE,
          "a job has at most " + JobSizeLimits.MAX_JOB_BYTES + " bytes of input");
    }
    job.files().addTasks(job.at(), stage, type, known, lines, job.beforeEntries());
    return Outcome.DONE;
  }

  @Override
  public KeptResult keepResult(FsJob job, Claim claim, TaskResult result) throws IOException {
    UnsyncedChanges unsynced = new UnsyncedChanges();
    Fact.Detail.Completed detail =
        job.files().writeResult(job.at(), AnsweredTask.of(claim), result, unsynced);
    commits.enlist(unsynced);
    return new KeptResult(detail, unsynced.lastSync());
  }

  @Override
  public void keepPartial(FsJob job, Claim claim, PartialOutput partial) throws IOException {
    if (job.directoryState().isFinal()) {
      job.files().writeLatePartial(job.at(), AnsweredTask.of(claim), partial);
    } else {
      job.files().writePartial(job.at(), AnsweredTask.of(claim), partial, job.withEntries());
    }
  }

  @Override
  public void appendJournal(FsJob job, ClaimKey claim, OutputChunk chunk) throws IOException {
    job.appendJournal(claim, chunk);
  }

  @Override
  public TaskJournal readJournal(FsJob job, StageFold stage, int task) {
    TokenJournal.Content content = job.files().readJournal(job.at(), stage, task);
    return new TaskJournal(content.tokens(), content.last(), content.grew());
  }

  @Override
  public Collection<JobId> endedBefore(Instant before, Set<JobState> states) {
    return ended.before(before, states);
  }

  @Override
  public void remove(Collection<JobId> ids, Consumer<JobId> removed) {
    ended.remove(ids, removed);
  }
}

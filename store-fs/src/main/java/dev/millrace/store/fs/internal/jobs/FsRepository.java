package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.concurrent.StoreFence;
import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.lease.Leases;
import dev.millrace.core.internal.lease.LeasesInMemory;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.StageFold;
import dev.millrace.core.internal.store.JobRepository;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.internal.store.PartialOutput;
import dev.millrace.core.internal.store.TaskJournal;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.time.Moment;
import dev.millrace.core.time.ProcessTimeline;
import dev.millrace.store.fs.internal.disk.BackwardMoves;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.JobLocator;
import dev.millrace.store.fs.internal.disk.ReadingMarks;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.AnsweredTask;
import dev.millrace.store.fs.internal.files.NoteFiles;
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
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The jobs of a workspace, for its owner: a job is a directory in the directory of its state, and a
 * commit is a sync that many threads share. {@link JobLoader} reads jobs, {@link EntryWriter} writes
 * what happens to them.
 */
public final class FsRepository implements JobRepository<FsJob> {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final FsSettings settings;
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final ProcessTimeline timeline;
  private final ClaimQueue queue;
  private final ReadingMarks marks;
  private final JobLocator locator;
  private final FsReader reader;
  private final NoteFiles notes;
  private final EndedJobs ended;
  private final long epoch;
  private final Leases leases = new LeasesInMemory();
  private final FinishRate rate;
  private final JobLoader loader;
  private final EntryWriter writer;
  private final StoreFence fence;

  /**
   * @param fence around what is written without a step
   */
  public FsRepository(FsSettings settings, GroupCommit commits, long epoch, StoreFence fence) {
    this.fence = fence;
    this.settings = settings;
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.commits = commits;
    this.timeline = new ProcessTimeline(settings.clock());
    this.queue = new ClaimQueue(timeline, settings.threading());
    this.marks = ReadingMarks.ofOwner(disk, layout, epoch);
    BackwardMoves backward = new BackwardMoves();
    this.locator = JobLocator.ofOwner(disk, layout, settings.threading(), backward);
    this.reader = new FsReader(disk, layout, settings.threading(), marks, locator);
    this.notes = new NoteFiles(disk, layout, commits, settings.threading());
    this.ended = new EndedJobs(disk, layout, reader, commits, marks, settings.threading());
    this.epoch = epoch;
    this.rate = new FinishRate(timeline.opened());
    this.loader = new JobLoader(settings, timeline, queue, marks);
    this.writer = new EntryWriter(disk, layout, commits, backward, queue, rate);
  }

  @Override
  public Moment now() {
    return timeline.now();
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
  public void tryWriting() throws IOException {
    FullDisk.requireAmpleSpace(disk, layout.root());
    Path trial = layout.internalPath("trial");
    disk.writeSynced(trial, new byte[] {1});
    disk.delete(trial);
  }

  @Override
  public long freeBytes() {
    return disk.freeBytes();
  }

  @Override
  public Threading threading() {
    return settings.threading();
  }

  @Override
  public ClaimQueue index() {
    return queue;
  }

  @Override
  public Leases leases() {
    return leases;
  }

  /** Finds the directory of a job. */
  public JobLocator locator() {
    return locator;
  }

  @Override
  public FsReader reader() {
    return reader;
  }

  @Override
  public NoteFiles notes() {
    return notes;
  }

  /** Keeps late callers out. */
  public StoreFence fence() {
    return fence;
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
    return loader.load(id);
  }

  @Override
  public String version(JobId id) {
    return reader.version(id);
  }

  /** Makes durable what the files of a job say to which a write has failed. */
  public void repair(JobId id) throws IOException {
    commits.requireIntact();
    whileOpen(() -> loader.repair(id, commits));
  }

  /** Makes durable what the files say of an ended job, if that is not certain. */
  public void syncEnded(JobId id) throws IOException {
    whileOpen(() -> loader.syncEnded(id, commits));
  }

  private interface DiskAccess {
    void run() throws IOException;
  }

  /** After the end, the next owner does it. */
  private void whileOpen(DiskAccess access) throws IOException {
    try {
      fence.runIfOpen(
          () -> {
            try {
              access.run();
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          });
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Makes durable what earlier owners left: it must be before it is shown. */
  public void syncEarlier() throws IOException {
    loader.syncEarlier(commits);
  }

  /** Only the owner changes jobs. What is moved by hand, a failing write or the scanner finds. */
  @Override
  public boolean isCurrent(FsJob job) {
    return true;
  }

  @Override
  public long append(FsJob job, JobUpdate update) throws IOException {
    return writer.append(job, update.entries());
  }

  @Override
  public void awaitDurable(long commit) {
    commits.requireIntact();
    commits.awaitSync(commit);
    fence.runIfOpen(writer::deleteUnneeded); // a reader comes here, too
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
    loader.markInterrupted(job);
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
    queue.putDropped(job);
    Instant deadline = job.queueDeadline();
    if (deadline != null) {
      queue.expireAt(deadline, job.id());
    }
  }

  @Override
  public TaskSpec task(FsJob job, StageFold stage, int task) throws IOException {
    JobFiles files = job.files();
    return marks.ofTask(
        job.id(),
        stage.number(),
        task,
        files.lineBytes(job.at(), stage, task),
        () -> files.task(job.at(), stage, task));
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
    job.keptResult(detail);
    commits.enlist(unsynced);
    return new KeptResult(detail, unsynced.lastSync());
  }

  @Override
  public boolean isKept(FsJob job, KeptResult kept) {
    return kept.detail().length() > 0 || job.isLastResult(kept.detail());
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
    return new TaskJournal(
        OutputChunk.joined(content.pieces()), content.last(), content.grew(), content.waits());
  }

  @Override
  public JsonObject frozenTerms(FsJob job, long entry) throws IOException {
    return job.frozenTerms(entry);
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

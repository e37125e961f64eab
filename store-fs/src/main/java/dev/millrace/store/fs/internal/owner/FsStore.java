package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.internal.store.WorkListeners;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.store.WorkListener;
import dev.millrace.core.store.WorkListener.Answer;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.store.fs.internal.claim.ClaimAnswers;
import dev.millrace.store.fs.internal.claim.Claimer;
import dev.millrace.store.fs.internal.claim.Retention;
import dev.millrace.store.fs.internal.claim.SkippedJobs;
import dev.millrace.store.fs.internal.claim.TimeoutSweep;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.OwnerLock;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.FsSubmitter;
import dev.millrace.store.fs.internal.files.NoteFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.inbox.OwnerInbox;
import dev.millrace.store.fs.internal.inbox.WorkspaceScanner;
import dev.millrace.store.fs.internal.jobs.JobWriter;
import dev.millrace.store.fs.internal.jobs.Leases;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The store of the process that owns a workspace. Thread-safe. */
public final class FsStore extends ForwardingControls implements JobStore {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final FsSettings settings;
  private final @Nullable OwnerLock lock;
  private final GroupCommit commits;
  private final NoteFiles notes;
  private final FsSubmitter publisher;
  private final JobWriter writer;
  private final ClaimQueue queue;
  private final Claimer claimer;
  private final Leases leases = new Leases();
  private final SkippedJobs left = new SkippedJobs();
  private final ClaimAnswers answers;
  private final OwnerControls controls;
  private final WorkspaceScanner scanner;
  private final Retention retention;
  private final OwnerReader reader;
  private final WorkListeners work = new WorkListeners();

  private FsStore(FsSettings settings, @Nullable OwnerLock lock) throws IOException {
    this.settings = settings;
    this.lock = lock;
    Disk disk = settings.disk();
    WorkspaceLayout layout = settings.layout();
    FsReader files = new FsReader(disk, layout);
    this.commits = new GroupCommit(disk);
    layout.create(disk);
    this.notes = new NoteFiles(disk, layout, commits);
    this.queue = new ClaimQueue(settings.clock());
    this.writer = new JobWriter(settings, commits, queue, leases, OwnerEpoch.next(disk, layout));
    this.publisher = new FsSubmitter(settings, commits, this::ownId, notes, writer.jobs()::locate);
    this.claimer = new Claimer(writer, queue, leases, commits, left);
    this.retention = new Retention(disk, layout, files, commits, writer);
    this.answers = new ClaimAnswers(settings, writer, leases, retention);
    this.controls =
        new OwnerControls(writer, files, retention, new JobAdditions(writer, commits, files));
    this.scanner =
        new WorkspaceScanner(disk, layout, writer, queue, new OwnerInbox(disk, layout, this));
    this.reader = new OwnerReader(files, writer, queue, scanner::discover);
  }

  /** Takes ownership, recovers what the last owner left, and watches the workspace. */
  public static Optional<FsStore> tryOpen(FsSettings settings) {
    return locked(
        settings,
        lock -> {
          FsStore store = new FsStore(settings, lock);
          store.recover();
          store.logReleased();
          store.scanner.watch(store.claimer::takeTroubled);
          return store;
        });
  }

  /** Takes ownership for one lever: reads only the jobs that it names. */
  public static Optional<FsStore> tryOpenBriefly(FsSettings settings) {
    return locked(settings, lock -> new FsStore(settings, lock));
  }

  /** For tests on disks without locks: recovers, but does not watch. */
  public static FsStore openUnlocked(FsSettings settings) {
    try {
      FsStore store = new FsStore(settings, null);
      store.recover();
      return store;
    } catch (IOException e) {
      throw StoreErrors.of("cannot open " + settings.root(), e);
    }
  }

  private interface Opening {
    FsStore open(OwnerLock lock) throws IOException;
  }

  private static Optional<FsStore> locked(FsSettings settings, Opening opening) {
    OwnerLock lock = null;
    FsStore store = null;
    try {
      settings.layout().create(settings.disk());
      lock = OwnerLock.tryAcquire(settings.root()).orElse(null);
      store = lock == null ? null : opening.open(lock);
      return Optional.ofNullable(store);
    } catch (IOException e) {
      throw StoreErrors.of("cannot open " + settings.root(), e);
    } finally {
      if (lock != null && store == null) {
        lock.close();
      }
    }
  }

  private void recover() throws IOException {
    // What the last owner renamed before it was killed may not be durable, but must be before it is
    // shown.
    UnsyncedChanges found = new UnsyncedChanges();
    WorkspaceLayout.ORDER.forEach(state -> found.addDirectory(settings.layout().of(state)));
    commits.commit(found);
    retention.emptyTrash();
    scanner.recoverRunning();
    scanner.scan();
  }

  private void logReleased() {
    long released = writer.takeReleased();
    if (released > 0) {
      String tasks = released == 1 ? " task" : " tasks";
      LOG.log(Level.INFO, "released " + released + tasks + " after a crash of the owner");
    }
  }

  @Override
  public JobId submit(JobSpec spec) {
    JobId id = publisher.submit(spec);
    submitted(spec, id);
    return id;
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    scanner.expect(id);
    try {
      boolean fresh = publisher.submit(spec, id);
      if (fresh) {
        submitted(spec, id);
      }
      return fresh;
    } finally {
      scanner.arrived(id);
    }
  }

  /** An id to submit under; the scanner ignores it until the job has arrived. */
  private JobId ownId() {
    JobId id = settings.ids().get();
    scanner.expect(id);
    return id;
  }

  private void submitted(JobSpec spec, JobId id) {
    scanner.arrived(id);
    if (spec.held()) {
      // An empty first stage completes too; the job is submitted, whatever happens then.
      scanner.runIsolated(id, () -> writer.step(id, (job, unsynced) -> job));
    } else if (spec.stages().isEmpty()) {
      scanner.markNothingToClaim(id); // nothing to claim or read before it has a stage
    } else {
      scanner.discover(id);
    }
    writer.notifier().changed(id); // the scanner's thread may have seen it first and report it late
  }

  @Override
  protected JobReader reader() {
    return reader;
  }

  @Override
  protected JobControls controls() {
    return controls;
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    requireLock();
    return work.claimed(claimer.claim(request));
  }

  @Override
  public Optional<Claim> findClaim(JobId id, int stage, int task) {
    return answers.held(id, stage, task);
  }

  /** Stops if the lock file was deleted by hand: another owner may have started. */
  private void requireLock() {
    try {
      if (lock != null && !lock.isIntact()) {
        commits.refuseCommits(
            new IOException(
                OwnerLock.FILE + " was removed or replaced: another server may own the workspace"));
      }
    } catch (IOException e) {
      commits.refuseCommits(e);
    }
    commits.requireIntact();
  }

  @Override
  public Outcome complete(Claim claim, TaskResult result) {
    return work.answered(claim, Answer.COMPLETED, answers.complete(claim, result));
  }

  @Override
  public Outcome fail(Claim claim, Failure failure) {
    return work.answered(claim, Answer.FAILED, answers.fail(claim, failure));
  }

  @Override
  public Outcome release(Claim claim, String reason) {
    return work.answered(claim, Answer.RELEASED, answers.release(claim, reason));
  }

  @Override
  public ClaimSignal heartbeat(Claim claim, boolean progress) {
    return work.signalled(claim, answers.heartbeat(claim, progress));
  }

  @Override
  public Outcome freeze(Claim claim, JsonObject terms) {
    return answers.freeze(claim, terms);
  }

  @Override
  public ClaimSignal appendJournal(Claim claim, OutputChunk piece) {
    return work.signalled(claim, answers.journal(claim, piece));
  }

  @Override
  public void log(Claim claim, String level, String line) {
    answers.log(claim, level, line);
  }

  @Override
  public void onLever(Consumer<JobId> watcher) {
    writer.notifier().onLever(watcher);
  }

  @Override
  public Subscription onChange(Consumer<JobId> watcher) {
    return writer.notifier().onChange(watcher);
  }

  @Override
  public Subscription onWork(WorkListener listener) {
    return work.add(listener);
  }

  @Override
  public int sweep() {
    requireLock();
    commits.awaitEnlisted(); // log lines that no caller waited for
    writer.notifier().notifyIfSynced();
    return work.swept(new TimeoutSweep(writer, queue, leases, left, settings.random()).run());
  }

  @Override
  public long awaitWork(long seen, Duration atMost) throws InterruptedException {
    return queue.await(seen, atMost);
  }

  @Override
  public boolean isIdle(Set<String> types) {
    scanner.scan();
    return queue.isEmpty(types)
        && writer.jobs().active().stream().noneMatch(job -> job.isRunningAny(types));
  }

  @Override
  public Optional<String> readNote(String collection, String name) {
    return notes.readNote(collection, name);
  }

  @Override
  public List<String> noteNames(String collection) {
    return notes.noteNames(collection);
  }

  @Override
  public void writeNote(String collection, String name, String text) {
    notes.writeNote(collection, name, text);
  }

  @Override
  public void deleteNote(String collection, String name) {
    notes.deleteNote(collection, name);
  }

  @Override
  public void close() {
    scanner.close();
    if (lock != null) {
      lock.close();
    }
  }
}

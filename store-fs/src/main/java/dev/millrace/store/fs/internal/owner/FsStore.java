package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.event.Cause;
import dev.millrace.core.event.Fact;
import dev.millrace.core.event.LogEntry;
import dev.millrace.core.internal.concurrent.StoreFence;
import dev.millrace.core.internal.count.JobCounts;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobPlan;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.store.RepositoryJobStore;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimRequest;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.OwnerLock;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.inbox.OwnerInbox;
import dev.millrace.store.fs.internal.inbox.WorkspaceScanner;
import dev.millrace.store.fs.internal.jobs.FsJob;
import dev.millrace.store.fs.internal.jobs.FsRepository;
import dev.millrace.store.fs.internal.move.FsMovableStore;
import dev.millrace.store.fs.internal.submit.FsSubmitter;
import dev.millrace.store.fs.internal.submit.Resubmission;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store of the process that owns a workspace. Thread-safe. */
public final class FsStore extends RepositoryJobStore<FsJob> {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final FsSettings settings;
  private final @Nullable OwnerLock lock;
  private final GroupCommit commits;
  private final FsRepository repository;
  private final FsSubmitter submitter;
  private final WorkspaceScanner scanner;
  private final OwnerReader reader;
  private final @Nullable WriteCheck writes; // null: no lock either, in tests

  private FsStore(
      FsSettings settings, @Nullable OwnerLock lock, GroupCommit commits, FsRepository repository) {
    super(repository, settings.random(), repository.fence());
    this.settings = settings;
    this.lock = lock;
    this.commits = commits;
    this.repository = repository;
    WorkspaceLayout layout = settings.layout();
    OwnerInbox inbox = new OwnerInbox(settings, this);
    this.scanner =
        new WorkspaceScanner(
            settings.disk(), layout, updater(), repository.index(), inbox, settings.threading());
    this.submitter =
        new FsSubmitter(
            settings,
            commits,
            settings.ids(),
            repository.notes(),
            this::locate,
            repository.reader()::completed);
    this.reader = new OwnerReader(repository, updater().jobs(), scanner::discover);
    this.writes =
        lock == null
            ? null
            : new WriteCheck(
                settings.disk(), layout.internalPath("trial"), settings.threading()::nanoTime);
  }

  private static FsStore create(FsSettings settings, @Nullable OwnerLock lock) throws IOException {
    settings.layout().create(settings.disk());
    GroupCommit commits = new GroupCommit(settings.disk(), settings.threading());
    long epoch = OwnerEpoch.next(settings.disk(), settings.layout());
    FsRepository repository =
        new FsRepository(settings, commits, epoch, new StoreFence(settings.threading()));
    return new FsStore(settings, lock, commits, repository);
  }

  /** Takes ownership, recovers what the last owner left, and watches the workspace. */
  public static Optional<FsStore> tryOpen(FsSettings settings) {
    return locked(
        settings,
        lock -> {
          FsStore store = create(settings, lock);
          store.fence().failures().startLog();
          store.recover();
          store.logReleased();
          store.scanner.watch(store::takeTroubled);
          return store;
        });
  }

  /** Takes ownership for one lever: reads only the jobs that it names. */
  public static Optional<FsStore> tryOpenBriefly(FsSettings settings) {
    return locked(settings, lock -> create(settings, lock));
  }

  /** For tests on disks without locks: recovers, but does not watch. */
  public static FsStore openUnlocked(FsSettings settings) {
    try {
      FsStore store = create(settings, null);
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
    return FullDisk.withReserve(settings.disk(), () -> lockedOnce(settings, opening));
  }

  private static Optional<FsStore> lockedOnce(FsSettings settings, Opening opening) {
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
    repository.syncEarlier();
    repository.ended().emptyTrash();
    scanner.recoverRunning();
    scanner.scan();
  }

  private void logReleased() {
    long released = updater().takeReleased();
    if (released > 0) {
      String tasks = released == 1 ? " task" : " tasks";
      LOG.log(Level.INFO, "released " + released + tasks + " after a crash of the owner");
    }
  }

  @Override
  public String kind() {
    return "workspace";
  }

  @Override
  public JobId submit(JobSpec spec) {
    return expecting(
        null,
        ids -> {
          JobId id = submitter.submit(spec, ids);
          submitted(spec, id, () -> counts(spec));
          return id;
        });
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    return expecting(
        id,
        _ -> {
          boolean fresh = submitter.submit(spec, id);
          if (fresh) {
            submitted(spec, id, () -> counts(spec));
          }
          return fresh;
        });
  }

  @Override
  public RetryResult retry(RetryRequest request) {
    return expecting(
        request.id(),
        ids -> {
          Resubmission again = submitter.submitAgain(request, ids);
          JobId id = again.result().id();
          JobSpec spec = again.spec();
          if (again.result().fresh() && id != null && spec != null) {
            JobFold fold = again.fold();
            submitted(
                spec,
                id,
                () ->
                    fold == null
                        ? counts(spec)
                        : JobCounts.of(fold, fold.state(), spec.priority()));
          }
          return again.result();
        });
  }

  /**
   * Submits while the scanner ignores the job's id, which is given or made here. If that fails, the
   * job may still have become visible: then the scanner finds it.
   */
  private <T> T expecting(@Nullable JobId given, Function<Supplier<JobId>, T> submission) {
    return fence().call(() -> expected(given, submission));
  }

  private <T> T expected(@Nullable JobId given, Function<Supplier<JobId>, T> submission) {
    JobId[] id = {given};
    if (given != null) {
      scanner.expect(given);
    }
    boolean done = false;
    try {
      T answer =
          submission.apply(
              () -> {
                id[0] = settings.ids().get();
                scanner.expect(id[0]);
                return id[0];
              });
      done = true;
      return answer;
    } finally {
      if (id[0] != null && done) {
        scanner.arrived(id[0]);
        if (given != null) {
          scanner.discover(given); // of another process, perhaps, and ignored while it was expected
        }
      } else if (id[0] != null) {
        scanner.submissionFailed(id[0]);
      }
    }
  }

  private void submitted(JobSpec spec, JobId id, Supplier<JobCounts> counts) {
    updater().counting().submitted(id, counts); // before it can be claimed
    scanner.arrived(id);
    if (spec.held()) {
      // An empty first stage completes too; the job is submitted, whatever happens then.
      scanner.runIsolated(id, () -> updater().touch(id));
    } else if (spec.stages().isEmpty()) {
      scanner.markNothingToClaim(id); // nothing to claim or read before it has a stage
    } else {
      scanner.discoverSubmitted(id);
    }
    updater()
        .notifier()
        .changed(id); // the scanner's thread may have seen it first and report it late
  }

  /** What a new job adds to the counts. */
  private JobCounts counts(JobSpec spec) {
    Instant now = repository.now().wall();
    JobFold fold = JobFold.created(JobPlan.of(spec, now), TransitionListener.IGNORED);
    fold.apply(new LogEntry(1, now, new Fact.Submitted()));
    return JobCounts.of(fold, fold.state(), spec.priority());
  }

  /** The job's state, reliably. A job in memory that was deleted by hand is dropped. */
  private Optional<JobState> locate(JobId id) throws IOException {
    Optional<JobState> state = repository.locator().find(id);
    if (state.isEmpty() && updater().jobs().contains(id)) { // it does not move with its lock held
      Disk disk = settings.disk();
      WorkspaceLayout layout = settings.layout();
      updater().jobs().forgetIf(id, _ -> Optional.of(layout.lookUp(disk, id).isEmpty()));
      state = layout.lookUp(disk, id);
    }
    return state;
  }

  @Override
  public JobReader reader() {
    return reader;
  }

  /** The same store, to move jobs; closing either closes both. */
  public MovableStore movable(String name) {
    return new FsMovableStore(name, settings, commits, repository, updater(), this::close);
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    return fence()
        .call(
            () -> {
              if (lever instanceof Lever.AddStage || lever instanceof Lever.AddTasks) {
                requireSpace("cannot add to job " + id);
                return super.apply(id, lever, cause);
              }
              return FullDisk.withReserve(settings.disk(), () -> super.apply(id, lever, cause));
            });
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    return fence()
        .call(() -> FullDisk.withReserve(settings.disk(), () -> super.prune(before, states)));
  }

  private void requireSpace(String what) {
    try {
      FullDisk.requireSpace(settings.disk(), settings.root());
    } catch (IOException e) {
      throw StoreErrors.of(what, e);
    }
  }

  @Override
  public List<Claim> claim(ClaimRequest request) {
    return fence()
        .call(
            () -> {
              requireLock();
              requireSpace("cannot claim a task"); // there may be no space for its result
              return super.claim(request);
            });
  }

  @Override
  public int sweep() {
    return fence()
        .call(
            () -> {
              requireLock();
              checkDisk();
              scanner.discoverSkipped();
              return super.sweep();
            });
  }

  @Override
  public boolean isIdle(Set<String> types) {
    return fence()
        .call(
            () -> {
              scanner.scan();
              return super.isIdle(types)
                  && updater().jobs().all().stream().noneMatch(job -> job.isRunningAny(types));
            });
  }

  /**
   * A disk that is full or takes no writes shows before anybody needs it, and what was taken of the
   * reserve comes back.
   */
  private void checkDisk() {
    try {
      requireSpace("nothing new is accepted in " + settings.root());
      requireWritable();
      settings.disk().fillReserve();
    } catch (StoreException e) {
      fence().failures().begin(e);
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "no space is set aside for a full disk", e);
    }
  }

  private void requireWritable() {
    try {
      if (writes != null) {
        writes.run();
      }
    } catch (IOException e) {
      throw StoreErrors.of("nothing can be written in " + settings.root(), e);
    }
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
  public void close() {
    try (OwnerLock _ = lock) { // released last, whatever is thrown
      super.close();
      scanner.close();
    }
  }
}

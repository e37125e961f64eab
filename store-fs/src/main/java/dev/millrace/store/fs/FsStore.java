package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.Controls;
import dev.millrace.core.store.Demand;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A workspace in the hands of its owner. Thread-safe. */
final class FsStore extends LeverThrough implements JobStore {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final FsSettings settings;
  private final @Nullable OwnerLock lock;
  private final GroupCommit commits;
  private final Notes notes;
  private final Publisher publisher;
  private final Ledger ledger;
  private final ClaimQueue queue;
  private final Claimer claimer;
  private final Leases leases = new Leases();
  private final LeftAlone left = new LeftAlone();
  private final OwnerAnswers answers;
  private final OwnerControls controls;
  private final Scanner scanner;
  private final Retention retention;
  private final OwnerReader reader;

  private FsStore(FsSettings settings, @Nullable OwnerLock lock) throws IOException {
    this.settings = settings;
    this.lock = lock;
    Disk disk = settings.disk();
    Places places = settings.places();
    FsReader files = new FsReader(disk, places);
    this.commits = new GroupCommit(disk);
    places.create(disk);
    this.notes = new Notes(disk, places, commits);
    this.queue = new ClaimQueue(settings.clock());
    this.ledger = new Ledger(settings, commits, queue, leases, Epoch.next(disk, places));
    this.publisher =
        new Publisher(
            disk,
            places,
            commits,
            settings.clock(),
            this::ownId,
            notes,
            ledger.jobs()::whereabouts);
    this.claimer = new Claimer(ledger, queue, leases, commits, left);
    this.retention = new Retention(disk, places, files, commits, ledger);
    this.answers = new OwnerAnswers(settings, ledger, leases, retention);
    this.controls = new OwnerControls(ledger, files, retention, new Growth(ledger, commits, files));
    this.scanner = new Scanner(disk, places, ledger, queue, new Inbox(disk, places, this));
    this.reader = new OwnerReader(files, ledger, queue, scanner::discover);
  }

  /** Takes the workspace over, recovers what its last owner left, and watches it. */
  static Optional<FsStore> tryOpen(FsSettings settings) {
    return locked(
        settings,
        lock -> {
          FsStore store = new FsStore(settings, lock);
          store.recover();
          store.tellReleased();
          store.scanner.watch(store.claimer::takeTroubled);
          return store;
        });
  }

  /** Takes the workspace over for one lever: no job is looked at but those it names. */
  static Optional<FsStore> tryOpenBriefly(FsSettings settings) {
    return locked(settings, lock -> new FsStore(settings, lock));
  }

  /** For tests on disks that have no locks: recovered, but not watched. */
  static FsStore openUnlocked(FsSettings settings) {
    try {
      FsStore store = new FsStore(settings, null);
      store.recover();
      return store;
    } catch (IOException e) {
      throw Failures.of("cannot open " + settings.root(), e);
    }
  }

  private interface Opening {
    FsStore open(OwnerLock lock) throws IOException;
  }

  private static Optional<FsStore> locked(FsSettings settings, Opening opening) {
    OwnerLock lock = null;
    FsStore store = null;
    try {
      settings.places().create(settings.disk());
      lock = OwnerLock.tryAcquire(settings.root()).orElse(null);
      store = lock == null ? null : opening.open(lock);
      return Optional.ofNullable(store);
    } catch (IOException e) {
      throw Failures.of("cannot open " + settings.root(), e);
    } finally {
      if (lock != null && store == null) {
        lock.close();
      }
    }
  }

  private void recover() throws IOException {
    // What the last owner renamed before it was killed may not be durable; what is told of it must.
    Dirty found = new Dirty();
    Places.ORDER.forEach(state -> found.directory(settings.places().of(state)));
    commits.commit(found);
    retention.emptyTrash();
    scanner.recoverRunning();
    scanner.scan();
  }

  private void tellReleased() {
    long released = ledger.takeReleased();
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

  /** An id to submit under; the scanner need not look when it turns up. */
  private JobId ownId() {
    JobId id = settings.ids().get();
    scanner.expect(id);
    return id;
  }

  private void submitted(JobSpec spec, JobId id) {
    scanner.arrived(id);
    if (spec.held()) {
      // An empty first stage completes all the same; the job is taken, whatever comes of that.
      scanner.guarded(id, () -> ledger.step(id, (job, dirty) -> job));
    } else if (spec.stages().isEmpty()) {
      scanner.silence(id); // nothing to claim, and nothing to read, before it has a stage
    } else {
      scanner.discover(id);
    }
    ledger.bulletin().changed(id); // the scanner's thread may have met it first, and say so late
  }

  @Override
  Reading reading() {
    return reader;
  }

  @Override
  Controls levers() {
    return controls;
  }

  @Override
  public List<Claim> claim(Demand demand) {
    requireLock();
    return claimer.claim(demand);
  }

  @Override
  public Optional<Claim> held(JobId id, int stage, int task) {
    return answers.held(id, stage, task);
  }

  /** A lock file that was removed by hand may have let another owner in. */
  private void requireLock() {
    try {
      if (lock != null && !lock.isIntact()) {
        commits.disown(
            new IOException(
                OwnerLock.FILE + " was removed or replaced: another server may own the workspace"));
      }
    } catch (IOException e) {
      commits.disown(e);
    }
    commits.check();
  }

  @Override
  public Answer complete(Claim claim, TaskResult result) {
    return answers.complete(claim, result);
  }

  @Override
  public Answer fail(Claim claim, Failure failure) {
    return answers.fail(claim, failure);
  }

  @Override
  public Answer release(Claim claim, String reason) {
    return answers.release(claim, reason);
  }

  @Override
  public Pulse heartbeat(Claim claim, boolean progress) {
    return answers.heartbeat(claim, progress);
  }

  @Override
  public Answer freeze(Claim claim, JsonObject terms) {
    return answers.freeze(claim, terms);
  }

  @Override
  public Pulse journal(Claim claim, Piece piece) {
    return answers.journal(claim, piece);
  }

  @Override
  public void log(Claim claim, String level, String line) {
    answers.log(claim, level, line);
  }

  @Override
  public void onLever(Consumer<JobId> watcher) {
    ledger.bulletin().onLever(watcher);
  }

  @Override
  public Subscription onChange(Consumer<JobId> watcher) {
    return ledger.bulletin().onChange(watcher);
  }

  @Override
  public int sweep() {
    requireLock();
    commits.settle(); // lines of logs that nobody waited for
    ledger.bulletin().tellDue();
    return new Sweep(ledger, queue, leases, left, settings.random()).run();
  }

  @Override
  public long awaitWork(long seen, Duration atMost) throws InterruptedException {
    return queue.await(seen, atMost);
  }

  @Override
  public boolean idle(Set<String> types) {
    scanner.scan();
    return queue.isEmpty(types)
        && ledger.jobs().active().stream().noneMatch(job -> job.runs(types));
  }

  @Override
  public Optional<String> note(String shelf, String name) {
    return notes.note(shelf, name);
  }

  @Override
  public List<String> names(String shelf) {
    return notes.names(shelf);
  }

  @Override
  public void keep(String shelf, String name, String text) {
    notes.keep(shelf, name, text);
  }

  @Override
  public void drop(String shelf, String name) {
    notes.drop(shelf, name);
  }

  @Override
  public void close() {
    scanner.close();
    if (lock != null) {
      lock.close();
    }
  }
}

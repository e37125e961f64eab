package dev.millrace.store.fs;

import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.StoreIdentity;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.JobReader;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.JobLocator;
import dev.millrace.store.fs.internal.disk.RealDisk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.NoteFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.move.MoveMark;
import dev.millrace.store.fs.internal.nonowner.NonOwnerControls;
import dev.millrace.store.fs.internal.nonowner.NonOwnerReader;
import dev.millrace.store.fs.internal.owner.FsStore;
import dev.millrace.store.fs.internal.read.FsReader;
import dev.millrace.store.fs.internal.submit.FsSubmitter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * A directory that holds jobs. Any process may submit, read and use levers; one process at a time
 * owns it and processes its jobs. Thread-safe.
 */
public final class Workspace {
  /** How long a reader waits for an answer of the owner. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final FsSettings settings;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;

  Workspace(FsSettings settings) {
    this.settings = settings;
    this.layout = settings.layout();
    this.commits = new GroupCommit(settings.disk(), settings.threading());
  }

  /**
   * Opens the workspace in {@code dir} and creates it if necessary, for the user of this process
   * alone.
   */
  public static Workspace open(Path dir) {
    Path root = root(dir);
    return open(dir, () -> new RealDisk(root));
  }

  /**
   * Opens the workspace in {@code dir}, which the members of a group may use, and creates it for
   * them if necessary. They may submit, read and use levers.
   *
   * @throws dev.millrace.core.store.StoreException if the directory exists and is not shared with
   *     that group, or if there is no such group
   */
  public static Workspace openShared(Path dir, String group) {
    Path root = root(dir);
    return open(dir, () -> RealDisk.sharedWith(root, group));
  }

  private interface DiskOpener {
    Disk open() throws IOException;
  }

  private static Workspace open(Path dir, DiskOpener opener) {
    try {
      Workspace workspace = of(root(dir), opener.open());
      workspace.layout.create(workspace.settings.disk());
      return workspace;
    } catch (IOException e) {
      throw StoreErrors.of("cannot use " + dir + " as a workspace", e);
    }
  }

  private static Path root(Path dir) {
    return dir.toAbsolutePath().normalize();
  }

  /** The workspace in {@code dir}; empty if there is none. */
  public static Optional<Workspace> existing(Path dir) {
    return Files.isDirectory(dir.resolve("input")) ? Optional.of(open(dir)) : Optional.empty();
  }

  private static Workspace of(Path root, Disk disk) {
    return new Workspace(
        new FsSettings(
            root,
            disk,
            Clock.systemUTC(),
            JobIdGenerator.forThisProcess()::next,
            java.util.random.RandomGenerator.getDefault()));
  }

  /**
   * The same workspace with another recovery ceiling for plain jobs that name none: how many
   * crashes of the owner in a row, without progress, a task survives. 0 to 1,000.
   */
  public Workspace withRecoveryCeiling(int recoveries) {
    if (recoveries < 0 || recoveries > 1_000) {
      throw new IllegalArgumentException(
          "the recovery ceiling must be 0 to 1000, got " + recoveries);
    }
    return new Workspace(settings.withCeiling(recoveries));
  }

  public Path root() {
    return layout.root();
  }

  /** Where the owner records the programs that it runs, for the next owner. */
  public Path programs() {
    return layout.programs();
  }

  /** Submits jobs. */
  public Work work() {
    return new Work(submitter());
  }

  /** Reads jobs. */
  public Flow flow() {
    return new Flow(reader());
  }

  public JobSubmitter submitter() {
    Disk disk = settings.disk();
    return new FsSubmitter(
        settings,
        commits,
        settings.ids(),
        new NoteFiles(disk, layout, commits, settings.threading()),
        JobLocator.ofOthers(disk, layout, settings.threading())::find,
        id -> new FsReader(disk, layout, settings.threading()).completed(id));
  }

  public JobReader reader() {
    return new NonOwnerReader(settings, PATIENCE);
  }

  /**
   * A user's levers, from any process. The owner carries them out, asked through the inbox of the
   * workspace; without an owner this process does so itself, under the lock.
   */
  public JobControls controls() {
    return new NonOwnerControls(settings);
  }

  /** Takes ownership of the workspace; empty if another process has it. */
  public Optional<JobStore> own() {
    return ownStore().map(store -> store);
  }

  /**
   * Takes ownership to move jobs out of the workspace, or into it; empty if another process has it.
   *
   * @param name of the workspace in messages
   */
  public Optional<MovableStore> ownToMove(String name) {
    return ownStore().map(store -> store.movable(name));
  }

  private Optional<FsStore> ownStore() {
    // A process that checks the lock holds it for a moment: try a few times.
    for (int tries = 1; tries < 10; tries++) {
      Optional<FsStore> store = FsStore.tryOpen(settings);
      if (store.isPresent()) {
        return store;
      }
      LockSupport.parkNanos(50_000_000);
    }
    return FsStore.tryOpen(settings);
  }

  /** What no other store has; empty before the first move out of it or into it. */
  public Optional<String> identity() {
    return StoreIdentity.known(
        new NoteFiles(settings.disk(), layout, commits, settings.threading()));
  }

  /** A job that was taken out to move it to another store; empty if there is none with this id. */
  public Optional<TakenOutJob> takenOut(JobId id) {
    try {
      return MoveMark.find(settings.disk(), layout, id);
    } catch (IOException e) {
      throw StoreErrors.of("cannot read " + layout.moved(id), e);
    }
  }

  /** All jobs that were taken out and are still kept here, moved or not. */
  public void forEachTakenOut(Consumer<TakenOutJob> jobs) {
    try {
      MoveMark.forEach(settings.disk(), layout, jobs);
    } catch (IOException e) {
      throw StoreErrors.of("cannot list " + layout.moved(), e);
    }
  }

  /** Waits until the owner releases the workspace, then takes ownership. */
  public JobStore awaitOwnership() throws InterruptedException {
    while (true) {
      Optional<JobStore> store = own();
      if (store.isPresent()) {
        return store.get();
      }
      Thread.sleep(200);
    }
  }

  /** The present owner of the workspace. */
  public OwnerStatus owner() {
    return OwnerStatus.of(layout.root());
  }

  /** Announces an owner that still loads its models. */
  public void announceStart(JsonObject info) {
    OwnerStatus.announce(layout.root(), info, false);
  }

  /** Announces the owner to other processes; {@code serve --status} shows {@code info}. */
  public void announce(JsonObject info) {
    OwnerStatus.announce(layout.root(), info, true);
  }

  /** Withdraws what {@link #announce} wrote, before the workspace is released. */
  public void withdraw() {
    OwnerStatus.withdraw(layout.root());
  }

  /** The job's directory at this moment. */
  public Optional<Path> directory(JobId id) {
    return reader().state(id).map(state -> layout.of(state, id));
  }
}

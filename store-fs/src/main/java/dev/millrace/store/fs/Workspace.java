package dev.millrace.store.fs;

import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.json.JsonObject;
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
import dev.millrace.store.fs.internal.files.FsSubmitter;
import dev.millrace.store.fs.internal.files.NoteFiles;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.nonowner.NonOwnerControls;
import dev.millrace.store.fs.internal.nonowner.NonOwnerReader;
import dev.millrace.store.fs.internal.owner.FsStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * A directory that holds jobs. Any process may submit, read and pull levers; one at a time owns it
 * and works. Thread-safe.
 */
public final class Workspace {
  /** How long a reader waits for what only the owner knows. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  private final FsSettings settings;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;

  Workspace(FsSettings settings) {
    this.settings = settings;
    this.layout = settings.layout();
    this.commits = new GroupCommit(settings.disk());
  }

  /** Opens the workspace in {@code dir}, creating it if it is not there. */
  public static Workspace open(Path dir) {
    Workspace workspace = of(dir);
    try {
      workspace.layout.create(workspace.settings.disk());
    } catch (IOException e) {
      throw StoreErrors.of("cannot use " + dir + " as a workspace", e);
    }
    return workspace;
  }

  /** The workspace in {@code dir}; empty if there is none. */
  public static Optional<Workspace> existing(Path dir) {
    return Files.isDirectory(dir.resolve("input")) ? Optional.of(open(dir)) : Optional.empty();
  }

  private static Workspace of(Path dir) {
    Path root = dir.toAbsolutePath().normalize();
    return new Workspace(
        new FsSettings(
            root,
            new RealDisk(root),
            Clock.systemUTC(),
            JobIdGenerator.forThisProcess()::next,
            java.util.random.RandomGenerator.getDefault()));
  }

  /**
   * The same, where a plain job that names no recovery ceiling has this one: so many crashes of
   * the owner in a row, without progress, does a task survive. 0 to 1,000.
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

  /** The submitting side. */
  public Work work() {
    return new Work(submitter());
  }

  /** The reading side. */
  public Flow flow() {
    return new Flow(reader());
  }

  public JobSubmitter submitter() {
    Disk disk = settings.disk();
    return new FsSubmitter(
        settings,
        commits,
        settings.ids(),
        new NoteFiles(disk, layout, commits),
        new JobLocator(disk, layout)::find);
  }

  public JobReader reader() {
    return new NonOwnerReader(settings, PATIENCE);
  }

  /**
   * A user's levers, from any process: done by the owner if there is one, which is asked through
   * the workspace's inbox; else done here and now, under the lock.
   */
  public JobControls controls() {
    return new NonOwnerControls(settings);
  }

  /** Takes the workspace over; empty if another process owns it. */
  public Optional<JobStore> own() {
    // Who only asks whether the lock is held takes it for a moment: try a few times.
    for (int tries = 1; tries < 10; tries++) {
      Optional<FsStore> store = FsStore.tryOpen(settings);
      if (store.isPresent()) {
        return Optional.of(store.get());
      }
      LockSupport.parkNanos(50_000_000);
    }
    return FsStore.tryOpen(settings).map(store -> store);
  }

  /** Takes the workspace over as soon as its present owner lets go. */
  public JobStore awaitOwnership() throws InterruptedException {
    while (true) {
      Optional<JobStore> store = own();
      if (store.isPresent()) {
        return store.get();
      }
      Thread.sleep(200);
    }
  }

  /** Who owns the workspace now. */
  public Owner owner() {
    return Owner.of(layout.root());
  }

  /** Tells other processes what the owner does; {@code info} is for {@code serve --status}. */
  public void announce(JsonObject info) {
    Owner.announce(layout.root(), info);
  }

  /** Takes {@link #announce} back, before letting go. */
  public void withdraw() {
    Owner.withdraw(layout.root());
  }

  /** Where a job's directory is at this moment. */
  public Optional<Path> directory(JobId id) {
    return reader().state(id).map(state -> layout.of(state, id));
  }
}

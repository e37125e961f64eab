package dev.millrace.store.fs;

import dev.millrace.core.Flow;
import dev.millrace.core.Work;
import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Controls;
import dev.millrace.core.store.JobStore;
import dev.millrace.core.store.Reading;
import dev.millrace.core.store.Submitting;
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
  private final Places places;
  private final GroupCommit commits;

  Workspace(FsSettings settings) {
    this.settings = settings;
    this.places = settings.places();
    this.commits = new GroupCommit(settings.disk());
  }

  /** Opens the workspace in {@code dir}, creating it if it is not there. */
  public static Workspace open(Path dir) {
    Workspace workspace = of(dir);
    try {
      workspace.places.create(workspace.settings.disk());
    } catch (IOException e) {
      throw Failures.of("cannot use " + dir + " as a workspace", e);
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
            IdGenerator.forThisProcess()::next,
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
    return places.root();
  }

  /** The submitting side. */
  public Work work() {
    return new Work(submitting());
  }

  /** The reading side. */
  public Flow flow() {
    return new Flow(reading());
  }

  public Submitting submitting() {
    Disk disk = settings.disk();
    return new Publisher(
        disk,
        places,
        commits,
        settings.clock(),
        settings.ids(),
        new Notes(disk, places, commits),
        new Whereabouts(disk, places)::find);
  }

  public Reading reading() {
    return new OutsideReader(settings, PATIENCE);
  }

  /**
   * A user's levers, from any process: done by the owner if there is one, which is asked through
   * the workspace's inbox; else done here and now, under the lock.
   */
  public Controls controls() {
    return new RemoteControls(settings);
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
    return Owner.of(places.root());
  }

  /** Tells other processes what the owner does; {@code info} is for {@code serve --status}. */
  public void announce(JsonObject info) {
    Owner.announce(places.root(), info);
  }

  /** Takes {@link #announce} back, before letting go. */
  public void withdraw() {
    Owner.withdraw(places.root());
  }

  /** Where a job's directory is at this moment. */
  public Optional<Path> directory(JobId id) {
    return reading().state(id).map(state -> places.of(state, id));
  }
}

package dev.millrace.store.fs.internal.move;

import dev.millrace.core.internal.move.RunningTasks;
import dev.millrace.core.internal.rules.TransitionListener;
import dev.millrace.core.internal.store.JobUpdater;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.move.ArrivalNotes;
import dev.millrace.core.move.JobAssembly;
import dev.millrace.core.move.JobRecord;
import dev.millrace.core.move.MovableStore;
import dev.millrace.core.move.MoveDestination;
import dev.millrace.core.move.StoreIdentity;
import dev.millrace.core.move.TakenOutJob;
import dev.millrace.core.move.UnmovableJobException;
import dev.millrace.core.store.JobReader.Query;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.time.LogTimes;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.FsJob;
import dev.millrace.store.fs.internal.jobs.FsRepository;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A workspace that this process owns, to move jobs out of it or into it. A job that was taken out is
 * in {@code moved/}; one that comes in is assembled in {@code .millrace/arriving/}. Each step is one
 * rename.
 */
public final class FsMovableStore implements MovableStore {
  private final String name;
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final FsRepository repository;
  private final JobUpdater<FsJob> updater;
  private final Runnable release;

  /**
   * @param release ends the ownership
   */
  public FsMovableStore(
      String name,
      FsSettings settings,
      GroupCommit commits,
      FsRepository repository,
      JobUpdater<FsJob> updater,
      Runnable release) {
    this.name = name;
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.commits = commits;
    this.repository = repository;
    this.updater = updater;
    this.release = release;
  }

  private interface Step<T> {
    T run() throws IOException;
  }

  private <T> T step(String what, JobId id, Step<T> step) {
    return FullDisk.withReserve(
        disk,
        () -> {
          try {
            return step.run();
          } catch (IOException e) {
            throw StoreErrors.of("cannot " + what + " job " + id + " in " + layout.root(), e);
          }
        });
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String identity() {
    return StoreIdentity.of(notes());
  }

  /** The lock lasts as long as the process. */
  @Override
  public void requireOwned() {
    repository.requireIntact();
  }

  @Override
  public NoteStore notes() {
    return repository.notes();
  }

  @Override
  public Map<JobState, Integer> counts() {
    return repository.reader().counts();
  }

  @Override
  public List<JobId> jobs(@Nullable JobId after, int limit) {
    return repository.reader().list(Query.all().oldest(limit).beyond(after));
  }

  @Override
  public void forEachTakenOut(Consumer<TakenOutJob> jobs) {
    try {
      MoveMark.forEach(disk, layout, jobs);
    } catch (IOException e) {
      throw StoreErrors.of("cannot list " + layout.moved(), e);
    }
  }

  @Override
  public @Nullable TakenOutJob takeOut(JobId id, MoveDestination to) {
    Optional<JobState> state = step("look for", id, () -> repository.locator().find(id));
    if (state.isPresent() && state.get().isFinal()) {
      return step("take out", id, () -> takeOutEnded(id, state.get(), to));
    }
    String reason = "the job moves to " + to.name();
    Optional<String> problem =
        updater.step(
            id,
            (job, update) -> {
              if (job.endedElsewhere() == null && !job.fold().state().isFinal()) {
                RunningTasks.release(update, reason);
              }
              return job.problem() == null ? "" : job.problem();
            });
    if (problem.isEmpty()) {
      return null;
    }
    if (!problem.get().isEmpty()) {
      throw new UnmovableJobException(problem.get());
    }
    return step("take out", id, () -> takeOutNow(id, to));
  }

  /**
   * An ended job is not read for this: its log would be completed, as of now, if another daemon has
   * processed it.
   */
  private @Nullable TakenOutJob takeOutEnded(JobId id, JobState state, MoveDestination to)
      throws IOException {
    clearLeftover(id);
    String ticket = UUID.randomUUID().toString();
    Path dir = layout.of(state, id);
    if (disk.kind(dir) != Disk.Kind.DIRECTORY) {
      return null; // it was deleted just now
    }
    rename(id, new JobDirectory(disk, dir), new MoveMark(state, ticket, to, Instant.now(), null));
    updater.removed(id);
    return new TakenOutJob(id, ticket, to, false);
  }

  private @Nullable TakenOutJob takeOutNow(JobId id, MoveDestination to) throws IOException {
    clearLeftover(id);
    String ticket = UUID.randomUUID().toString();
    boolean[] taken = {false};
    updater.takeOut(
        id,
        job -> {
          MoveMark mark = new MoveMark(job.directoryState(), ticket, to, Instant.now(), null);
          rename(id, job.at(), mark);
          taken[0] = true;
        });
    return taken[0] ? new TakenOutJob(id, ticket, to, false) : null;
  }

  private void rename(JobId id, JobDirectory at, MoveMark mark) throws IOException {
    disk.writeSynced(at.file(MoveMark.FILE), mark.bytes());
    UnsyncedChanges before = new UnsyncedChanges().addDirectory(at.dir());
    if (disk.kind(at.file("events.jsonl")) == Disk.Kind.FILE) {
      before.addFile(at.file("events.jsonl"));
    }
    createDirectory(layout.moved(), before);
    commits.commit(before);
    disk.rename(at.dir(), layout.moved(id));
    commits.commit(
        new UnsyncedChanges().addDirectory(layout.moved()).addDirectory(layout.of(mark.state())));
    repository.index().remove(id);
  }

  private void createDirectory(Path dir, UnsyncedChanges unsynced) throws IOException {
    if (disk.kind(dir) == Disk.Kind.NOTHING) {
      disk.createDirectory(dir);
      unsynced.addDirectory(dir.getParent());
    }
  }

  /** A job that has come back needs its earlier copy no longer. */
  private void clearLeftover(JobId id) throws IOException {
    if (disk.kind(layout.moved(id)) == Disk.Kind.NOTHING) {
      return;
    }
    Optional<MoveMark> mark = MoveMark.read(disk, layout.moved(id));
    if (mark.isEmpty() || mark.get().movedAt() == null) {
      throw new UnmovableJobException(
          layout.moved(id) + " has another job with this id; move it out of the workspace");
    }
    trash(layout.moved(id), id);
  }

  private void trash(Path dir, JobId id) throws IOException {
    Path trash = layout.internalPath("trash").resolve(id.value());
    DirectoryDeleter.delete(disk, trash);
    disk.rename(dir, trash);
    commits.commit(
        new UnsyncedChanges().addDirectory(dir.getParent()).addDirectory(trash.getParent()));
    DirectoryDeleter.delete(disk, trash);
  }

  private MoveMark mark(JobId id) throws IOException {
    return MoveMark.read(disk, layout.moved(id))
        .orElseThrow(
            () -> new StoreException(layout.moved(id) + " has no " + MoveMark.FILE + " any more"));
  }

  @Override
  public void read(TakenOutJob job, Consumer<JobRecord> records) {
    JobId id = job.id();
    try {
      JobDirectory at = new JobDirectory(disk, layout.moved(id));
      FsJobExporter.write(new JobOnDisk.Location(id, at, mark(id).state()), records);
      notes()
          .readNote(NoteStore.WEBHOOKS, id.value())
          .ifPresent(text -> records.accept(new JobRecord.Note(NoteStore.WEBHOOKS, text)));
    } catch (JobFiles.MalformedJobException e) {
      throw new UnmovableJobException(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw StoreErrors.ofReading("cannot read job " + id + " in " + layout.moved(), e);
    }
  }

  @Override
  public void putBack(TakenOutJob job) {
    JobId id = job.id();
    step(
        "put back",
        id,
        () -> {
          JobState state = mark(id).state();
          disk.rename(layout.moved(id), layout.of(state, id));
          commits.commit(
              new UnsyncedChanges().addDirectory(layout.of(state)).addDirectory(layout.moved()));
          disk.delete(layout.of(state, id).resolve(MoveMark.FILE));
          return state;
        });
  }

  @Override
  public void markMoved(TakenOutJob job) {
    JobId id = job.id();
    step(
        "mark",
        id,
        () -> {
          Path file = layout.moved(id).resolve(MoveMark.FILE);
          Path next = layout.moved(id).resolve(MoveMark.FILE + ".tmp");
          disk.writeSynced(next, mark(id).moved(Instant.now()).bytes());
          disk.rename(next, file);
          commits.commit(new UnsyncedChanges().addDirectory(layout.moved(id)));
          return file;
        });
    notes().deleteNote(NoteStore.WEBHOOKS, id.value()); // else somebody would deliver it, too
  }

  @Override
  public void deleteMoved(TakenOutJob job) {
    step(
        "delete",
        job.id(),
        () -> {
          trash(layout.moved(job.id()), job.id());
          return job;
        });
  }

  private Path arriving(JobId id) {
    return layout.internalPath("arriving").resolve(id.value());
  }

  @Override
  public Arrival arrival(TakenOutJob job, String from) {
    JobId id = job.id();
    return step(
        "look for",
        id,
        () -> {
          if (ArrivalNotes.isThere(notes(), job)) {
            return finishArrival(id) ? Arrival.ARRIVED : Arrival.OTHER;
          }
          return isTaken(id, from) ? Arrival.OTHER : Arrival.ABSENT;
        });
  }

  /** A crash may have come between the note and the rename that publishes the job. */
  private boolean finishArrival(JobId id) throws IOException {
    if (disk.kind(arriving(id)) != Disk.Kind.DIRECTORY) {
      return true; // it was published, whatever happened to it since
    }
    JobOnDisk job =
        JobOnDisk.read(
            new JobOnDisk.Location(id, new JobDirectory(disk, arriving(id)), JobState.PENDING),
            TransitionListener.IGNORED,
            LogTimes.AS_LOGGED,
            null,
            null);
    return show(id, job.fold().state());
  }

  /** Whether another job has this id, or had it and is on its way to a third store. */
  private boolean isTaken(JobId id, String from) throws IOException {
    if (layout.lookUp(disk, id).isPresent()) {
      return true;
    }
    if (disk.kind(layout.moved(id)) == Disk.Kind.NOTHING) {
      return false;
    }
    Optional<MoveMark> mark = MoveMark.read(disk, layout.moved(id));
    return mark.isEmpty()
        || mark.get().movedAt() == null && !mark.get().to().identity().equals(from);
  }

  @Override
  public JobAssembly assemble(TakenOutJob job, String from) {
    JobId id = job.id();
    JobDirectory at = new JobDirectory(disk, arriving(id));
    try {
      FullDisk.requireSpace(disk, layout.root());
      UnsyncedChanges created = new UnsyncedChanges();
      createDirectory(arriving(id).getParent(), created);
      commits.commit(created);
      DirectoryDeleter.delete(disk, at.dir()); // of a move that was interrupted
      disk.createDirectory(at.dir());
    } catch (IOException e) {
      throw StoreErrors.of("cannot copy job " + id + " into " + layout.root(), e);
    }
    return new FsJobAssembly(id, at, notes(), publication(job, from));
  }

  private FsJobAssembly.Publication publication(TakenOutJob job, String from) {
    JobId id = job.id();
    return new FsJobAssembly.Publication() {
      @Override
      public void sync(UnsyncedChanges unsynced) {
        commits.commit(unsynced);
      }

      @Override
      public boolean publish(JobState state) throws IOException {
        if (isTaken(id, from)) {
          return false;
        }
        commits.commit(new UnsyncedChanges().addDirectory(arriving(id).getParent()));
        notes().writeNote(ArrivalNotes.COLLECTION, id.value(), ArrivalNotes.text(job, from));
        return show(id, state);
      }

      @Override
      public void discard() throws IOException {
        DirectoryDeleter.delete(disk, arriving(id));
      }
    };
  }

  /** Makes a job visible; an earlier copy that had gone elsewhere is no longer needed. */
  private boolean show(JobId id, JobState state) throws IOException {
    if (disk.kind(layout.moved(id)) == Disk.Kind.DIRECTORY) {
      trash(layout.moved(id), id);
    }
    try {
      disk.rename(arriving(id), layout.of(state, id));
    } catch (IOException e) {
      if (StoreErrors.isTargetInUse(e)) {
        return false;
      }
      throw e;
    }
    commits.commit(
        new UnsyncedChanges()
            .addDirectory(layout.of(state))
            .addDirectory(arriving(id).getParent()));
    return true;
  }

  @Override
  public List<JobId> arrivedFrom(String identity) {
    return ArrivalNotes.from(notes(), identity);
  }

  @Override
  public void forgetArrival(JobId id) {
    notes().deleteNote(ArrivalNotes.COLLECTION, id.value());
  }

  @Override
  public void close() {
    release.run();
  }
}

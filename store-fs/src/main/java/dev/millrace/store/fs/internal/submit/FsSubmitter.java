package dev.millrace.store.fs.internal.submit;

import dev.millrace.core.internal.rules.AdoptionRules;
import dev.millrace.core.internal.store.JobSizeLimits;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobSpec;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobSubmitter;
import dev.millrace.core.store.NoteStore;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.RetryRequest;
import dev.millrace.core.store.RetryResult;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.FullDisk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.NoteFiles;
import dev.millrace.store.fs.internal.files.PlainJobFiles;
import dev.millrace.store.fs.internal.files.StagedJobDocument;
import dev.millrace.store.fs.internal.files.StoreErrors;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submits jobs into a workspace from any process, owner or not: a rename publishes a job.
 * Thread-safe.
 */
public final class FsSubmitter implements JobSubmitter {

  /** Finds a job's state reliably; empty only if there is no such job. */
  @FunctionalInterface
  public interface Finding {
    Optional<JobState> find(JobId id) throws IOException;
  }

  /** Reads a job, its log completed from its directory; empty only if there is no such job. */
  @FunctionalInterface
  public interface Reading {
    Optional<JobOnDisk> read(JobId id);
  }

  /** Adds to the files of a job, before it is visible. */
  @FunctionalInterface
  private interface Addition {
    Addition NOTHING = (_, _) -> {};

    void write(JobDirectory at, UnsyncedChanges unsynced) throws IOException;
  }

  /** A job to submit: its specification, its files, and what is added to them. */
  private record NewJob(JobSpec spec, Map<String, byte[]> files, Addition addition) {
    JobState startState() {
      return spec.held() ? JobState.PAUSED : JobState.PENDING;
    }
  }

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final Clock clock;
  private final Supplier<JobId> ids;
  private final NoteFiles notes;
  private final Finding finding;
  private final Reading reading;
  private final List<ReentrantLock> locks;

  /**
   * Submits into the workspace of {@code settings}.
   *
   * @param ids gives each new job its id
   */
  public FsSubmitter(
      FsSettings settings,
      GroupCommit commits,
      Supplier<JobId> ids,
      NoteFiles notes,
      Finding finding,
      Reading reading) {
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.commits = commits;
    this.clock = settings.clock();
    this.ids = ids;
    this.notes = notes;
    this.finding = finding;
    this.reading = reading;
    this.locks = settings.threading().newLocks(64);
  }

  @Override
  public JobId submit(JobSpec spec) {
    return submit(spec, ids);
  }

  /** As {@link #submit(JobSpec)}, under an id of {@code newId}, which is asked at most once. */
  public JobId submit(JobSpec spec, Supplier<JobId> newId) {
    return publish(newJob(spec, Addition.NOTHING), newId);
  }

  private JobId publish(NewJob job, Supplier<JobId> newId) {
    JobId id = reserve(newId.get());
    Path dir = layout.of(JobState.CREATED, id);
    try {
      noteWebhooks(job.spec(), id);
      stage(dir, job);
      disk.rename(dir, layout.of(job.startState(), id));
      commits.commit(new UnsyncedChanges().addDirectory(layout.of(job.startState())));
      return id;
    } catch (IOException e) {
      discard(dir);
      throw StoreErrors.of("cannot submit into " + layout.root(), e);
    } catch (RuntimeException | Error e) {
      discard(dir);
      throw e;
    }
  }

  @Override
  public boolean submit(JobSpec spec, JobId id) {
    return publish(newJob(spec, Addition.NOTHING), id);
  }

  private boolean publish(NewJob job, JobId id) {
    ReentrantLock lock = locks.get(Math.floorMod(id.hashCode(), locks.size()));
    lock.lock();
    try {
      return !isThere(id) && publishAs(id, job);
    } catch (IOException e) {
      throw StoreErrors.of("cannot submit into " + layout.root(), e);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public RetryResult retry(RetryRequest request) {
    return submitAgain(request, ids).result();
  }

  /**
   * As {@link #retry}: the new job and all that it adopts are published by one rename.
   *
   * @param newId asked at most once, and only if the request names no id
   */
  public Resubmission submitAgain(RetryRequest request, Supplier<JobId> newId) {
    JobOnDisk ended = reading.read(request.job()).orElse(null);
    JobState state = ended == null ? null : ended.directoryState();
    Outcome allowed = AdoptionRules.allowsRetry(request.job(), state);
    if (ended == null || state == null || !allowed.isDone()) {
      return Resubmission.rejected(allowed);
    }
    boolean adopts = !request.fromStart() && AdoptionRules.adopts(state, ended.fold());
    try {
      boolean logs = adopts || request.comment() != null;
      AdoptionWriter log = logs ? new AdoptionWriter(ended, request, adopts, clock) : null;
      return submitAgain(ended, request, newId, log);
    } catch (IOException e) {
      return goneOrThrow(ended.id(), StoreErrors.ofReading("cannot read job " + ended.id(), e));
    } catch (StoreException e) {
      return goneOrThrow(ended.id(), e);
    }
  }

  private Resubmission submitAgain(
      JobOnDisk ended,
      RetryRequest request,
      Supplier<JobId> newId,
      @Nullable AdoptionWriter adoption)
      throws IOException {
    JobSpec spec = AdoptionRules.again(request, ended.id(), ended.spec());
    NewJob job = newJob(spec, adoption == null ? Addition.NOTHING : adoption::write);
    JobId given = request.id();
    boolean fresh = given == null || publish(job, given);
    JobId id = given == null ? publish(job, newId) : given;
    return fresh
        ? Resubmission.created(id, spec, adoption == null ? null : adoption.adopted())
        : Resubmission.existing(id, spec, reading.read(id).map(JobOnDisk::fold).orElse(null));
  }

  /** The ended job may have been deleted while it was copied. */
  private Resubmission goneOrThrow(JobId ended, StoreException problem) {
    try {
      if (finding.find(ended).isEmpty()) {
        return Resubmission.rejected(AdoptionRules.allowsRetry(ended, null));
      }
    } catch (IOException e) {
      problem.addSuppressed(e);
    }
    throw problem;
  }

  /**
   * Assembles the job under a temporary name and gives it its id while it is still invisible. If
   * several do so at once, one succeeds and the others only help to publish its job. So what a
   * crash leaves under the id is complete, too.
   */
  private boolean publishAs(JobId id, NewJob job) throws IOException {
    Path own = layout.of(JobState.CREATED, reserve(JobIdGenerator.forThisProcess().next()));
    Path named = layout.of(JobState.CREATED, id);
    boolean left = true; // under its temporary name
    try {
      noteWebhooks(job.spec(), id);
      stage(own, job);
      left = !moved(own, named);
      if (isThere(id)) { // another process was faster
        left |= moved(named, own);
        return false;
      }
      boolean published = moved(named, layout.of(job.startState(), id));
      commits.commit(new UnsyncedChanges().addDirectory(layout.of(job.startState())));
      return published;
    } finally {
      if (left) {
        discard(own);
      }
    }
  }

  private boolean moved(Path from, Path to) throws IOException {
    try {
      disk.rename(from, to);
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      if (StoreErrors.isTargetInUse(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Whether there is such a job, or was before it moved away; it is durable when this returns. */
  private boolean isThere(JobId id) throws IOException {
    Optional<JobState> directoryState = finding.find(id);
    directoryState.ifPresent(
        found -> commits.commit(new UnsyncedChanges().addDirectory(layout.of(found))));
    return directoryState.isPresent() || disk.kind(layout.moved(id)) != Disk.Kind.NOTHING;
  }

  /** Notes the webhooks before the job is visible, so that no delivery is lost. */
  private void noteWebhooks(JobSpec spec, JobId id) {
    if (!spec.webhooks().isEmpty() && !notes.isKept(NoteStore.WEBHOOKS, id.value())) {
      notes.writeNote(
          NoteStore.WEBHOOKS, id.value(), Json.write(JsonObject.create().put("after", 0)));
    }
  }

  private NewJob newJob(JobSpec spec, Addition addition) {
    JobSizeLimits.requireJob(spec);
    Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
    return new NewJob(
        spec,
        PlainJobFiles.fits(spec)
            ? PlainJobFiles.files(spec, now)
            : StagedJobDocument.files(spec, now),
        addition);
  }

  /** Reserves the id's directory: from here on this process may fill and discard it. */
  private JobId reserve(JobId id) {
    try {
      FullDisk.requireSpace(disk, layout.root());
      disk.createDirectory(layout.of(JobState.CREATED, id));
      return id;
    } catch (FileAlreadyExistsException e) {
      throw new StoreException("another process made the same id " + id + "; submit again", e);
    } catch (IOException e) {
      throw StoreErrors.of("cannot submit into " + layout.root(), e);
    }
  }

  private void stage(Path dir, NewJob job) throws IOException {
    Map<String, byte[]> files = job.files();
    UnsyncedChanges unsynced = new UnsyncedChanges();
    TreeSet<Path> directories = new TreeSet<>();
    for (String name : files.keySet()) {
      for (Path up = dir.resolve(name).getParent(); !up.equals(dir); up = up.getParent()) {
        directories.add(up);
      }
    }
    for (Path directory : directories) {
      disk.createDirectory(directory);
      unsynced.addDirectory(directory);
    }
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      disk.write(dir.resolve(file.getKey()), file.getValue());
      unsynced.addFile(dir.resolve(file.getKey()));
    }
    job.addition().write(new JobDirectory(disk, dir), unsynced);
    commits.commit(unsynced.addDirectory(dir));
  }

  /**
   * Deletes a job that was never acknowledged, as far as the disk allows; it is invisible anyway.
   */
  private void discard(Path dir) {
    try {
      DirectoryDeleter.delete(disk, dir);
    } catch (IOException | RuntimeException | Error e) { // what was thrown first is the reason
      System.getLogger("dev.millrace.store")
          .log(
              System.Logger.Level.WARNING,
              "could not remove the unfinished " + dir + ": " + e.getMessage());
    }
  }
}

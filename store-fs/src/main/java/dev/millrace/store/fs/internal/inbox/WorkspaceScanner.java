package dev.millrace.store.fs.internal.inbox;

import dev.millrace.core.internal.concurrent.Threading;
import dev.millrace.core.internal.store.JobUpdater;
import dev.millrace.core.job.JobDocument;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonException;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.StoreBrokenException;
import dev.millrace.core.store.StoreException;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.FsJob;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import dev.millrace.store.fs.internal.queue.ClaimQueue.Candidate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is new in a workspace: jobs in {@code input/ready}, requests in the inbox, jobs that
 * others cancelled. It follows file-system events, and lists a directory if events may be missing
 * and the directory has changed since the last listing.
 */
public final class WorkspaceScanner implements AutoCloseable {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  /** The resolution of directory times may be this coarse. */
  private static final Duration GRAIN = Duration.ofMillis(50);

  private static final int SLICE = 1_000;
  private static final int MOST_EXPECTED = 10_000;

  private final Disk disk;
  private final WorkspaceLayout layout;
  private final JobUpdater<FsJob> updater;
  private final ClaimQueue queue;
  private final OwnerInbox inbox;
  private final Set<String> reported = new HashSet<>();

  /** Ids that this process is submitting now: it reports their arrival itself. */
  private final LinkedHashSet<JobId> expected = new LinkedHashSet<>(); // guarded by itself

  /** Jobs that could not be submitted, read or written when they came, as on a full disk. */
  private final Set<JobId> skipped = ConcurrentHashMap.newKeySet();

  private final ReentrantLock scanning;
  private Instant listed = Instant.MIN; // guarded by that lock, as is the next one
  private Instant unsettled = Instant.MIN;
  private @Nullable DirectoryWatcher watch;

  public WorkspaceScanner(
      Disk disk,
      WorkspaceLayout layout,
      JobUpdater<FsJob> updater,
      ClaimQueue queue,
      OwnerInbox inbox,
      Threading threading) {
    this.disk = disk;
    this.layout = layout;
    this.updater = updater;
    this.queue = queue;
    this.inbox = inbox;
    this.scanning = threading.newLock();
  }

  /** Recovers what the last owner left unfinished. */
  public void recoverRunning() throws IOException {
    for (JobState state : List.of(JobState.IN_PROGRESS, JobState.PAUSED)) {
      List<String> names = new ArrayList<>();
      disk.list(layout.of(state), names::add);
      for (String name : names) {
        JobId.parse(name).ifPresent(id -> runIsolated(id, () -> recover(id, state)));
      }
    }
  }

  /** A job that was paused before it started has nothing to recover. */
  private void recover(JobId id, JobState state) {
    try {
      if (state == JobState.IN_PROGRESS
          || disk.kind(layout.of(state, id).resolve(EventLog.FILE)) == Disk.Kind.FILE) {
        updater.touch(id);
      }
    } catch (IOException e) {
      throw StoreErrors.ofLoading("cannot read job " + id, e);
    }
  }

  /** Lists the ready jobs, if any came or went since the last listing. */
  public void scan() {
    scan(() -> {});
  }

  /**
   * As {@link #scan()}, in slices: a million names take a while.
   *
   * @param between runs after each slice
   */
  void scan(Runnable between) {
    scanning.lock();
    try {
      Path ready = layout.of(JobState.PENDING);
      Instant changed = disk.modified(ready);
      if (!changed.equals(listed)) {
        int[] seen = {0};
        disk.list(
            ready,
            name -> {
              discover(name);
              if (++seen[0] % SLICE == 0) {
                between.run();
              }
              return true;
            });
        // A change within the resolution of the directory's time would not show: list again then.
        // A time that is still to come, of a clock that was set back since, counts the second time.
        Instant now = Instant.now();
        boolean settled =
            changed.isBefore(now.minus(GRAIN)) || changed.isAfter(now) && changed.equals(unsettled);
        listed = settled ? changed : Instant.MIN;
        unsettled = settled ? Instant.MIN : changed;
      }
      inbox.processAll();
      inbox.deleteStale();
    } catch (IOException e) {
      throw StoreErrors.of("cannot look for jobs in " + layout.root(), e);
    } finally {
      scanning.unlock();
    }
  }

  /** Makes the next listing run even if nothing has changed. */
  void forceRescan() {
    scanning.lock();
    try {
      listed = Instant.MIN;
    } finally {
      scanning.unlock();
    }
  }

  /** Handles a name that appeared among the ready jobs. */
  void discover(String name) {
    JobId.parse(name)
        .ifPresentOrElse(
            this::discover,
            () ->
                report(
                    "input/ready/" + name,
                    "is not a job id (digits joined by single underscores) and is ignored"));
  }

  /**
   * Announces that the owner itself submits under this id; it reports when the job has
   * {@link #arrived}.
   */
  public void expect(JobId id) {
    synchronized (expected) {
      if (expected.size() == MOST_EXPECTED) {
        expected.removeFirst(); // a submission that failed never arrives
      }
      expected.add(id);
    }
  }

  public void arrived(JobId id) {
    synchronized (expected) {
      expected.remove(id);
    }
  }

  /** A submission failed: the job may be there all the same. */
  public void submissionFailed(JobId id) {
    skipped.add(id); // the next sweep looks for it
    arrived(id);
  }

  private boolean isExpected(JobId id) {
    synchronized (expected) {
      return expected.contains(id);
    }
  }

  /** Handles a job that has nothing to claim yet. */
  public void markNothingToClaim(JobId id) {
    if (!isKnown(id)) {
      queue.markNothingToClaim(id);
    }
  }

  private boolean isKnown(JobId id) {
    return queue.isKnown(id) || updater.jobs().contains(id) || updater.isQuarantined(id);
  }

  /** Handles a name that appeared among the cancelled jobs: someone else moved it there. */
  void cancelled(String name) {
    JobId.parse(name)
        .ifPresent(
            id ->
                runIsolated(
                    id,
                    () -> {
                      queue.remove(id);
                      updater.readEnded(id);
                    }));
  }

  /** Handles a job that appeared; it may be known already, or gone again. */
  public void discover(JobId id) {
    if (!isExpected(id)) {
      discoverSubmitted(id);
    }
  }

  /**
   * Handles a job that the owner itself has submitted. It may be expected again: by another thread
   * that submits under the same id, and will learn that it is there.
   */
  public void discoverSubmitted(JobId id) {
    if (!isKnown(id)) {
      runIsolated(
          id,
          () -> {
            boolean there = true; // as far as is known, if that fails
            try {
              there = indexOrSkip(id);
            } finally {
              if (there) { // it may be in the queue by now: then nobody discovers it again
                updater.counting().discovered(id);
                updater.notifier().changed(id);
              }
            }
          });
    }
  }

  /** Tries again what failed: nobody else would look at a job that has nothing to claim. */
  public void discoverSkipped() {
    for (JobId id : skipped) {
      skipped.remove(id);
      discover(id);
    }
  }

  private boolean indexOrSkip(JobId id) {
    try {
      return index(id);
    } catch (JobException | StoreException.Closed e) {
      throw e; // it is damaged, and stays so; or nobody will try again
    } catch (StoreException | UncheckedIOException | Error e) {
      if (skipped.size() < MOST_EXPECTED) {
        skipped.add(id);
      }
      throw e;
    }
  }

  /** Whether there is such a job. */
  private boolean index(JobId id) {
    Path dir = layout.of(JobState.PENDING, id);
    try {
      Disk.Kind kind = disk.kind(dir);
      if (kind == Disk.Kind.NOTHING) {
        return false;
      }
      JsonObject meta =
          kind == Disk.Kind.DIRECTORY ? JobMetaFile.read(disk, dir) : JsonObject.create();
      if (!meta.has("mode") && !JobFiles.looksLikeJob(disk, dir)) {
        if (disk.kind(dir) != Disk.Kind.NOTHING) { // else it was claimed just now
          report(
              "input/ready/" + id,
              "is not a directory with a prompt.txt or job.json and is ignored");
        }
        return false;
      }
      boolean virgin = disk.kind(dir.resolve(EventLog.FILE)) == Disk.Kind.NOTHING;
      String type = virgin ? type(meta) : null;
      if (type == null) {
        // An unusual job: its metadata does not suffice, so read its files.
        return putAgain(id);
      }
      Instant created = JobMetaFile.submittedAt(meta, id);
      queue.put(
          Candidate.of(id, type, JobDocument.priority(meta), created, JobMetaFile.tasks(meta)),
          true);
      if (updater.jobs().contains(id) || disk.kind(dir) == Disk.Kind.NOTHING) {
        claimedMeanwhile(id);
      }
      Duration timeout = JobDocument.policy(meta.object("limits")).queueTimeout();
      if (timeout != null) {
        queue.expireAfter(created, timeout, id);
      }
      return true;
    } catch (IOException e) {
      throw StoreErrors.ofLoading("cannot read job " + id, e) instanceof JobException damaged
          ? damaged
          : new UncheckedIOException(e);
    }
  }

  /** A claim has updated the queue already; older information must not replace that. */
  private void claimedMeanwhile(JobId id) {
    if (!putAgain(id)) {
      queue.remove(id);
    }
  }

  /** Puts a job into the queue as its files say; false if there is none. */
  private boolean putAgain(JobId id) {
    return updater
        .step(
            id,
            (job, _) -> {
              queue.put(job);
              return id;
            })
        .isPresent();
  }

  /** The type of worker that the job waits for, if its metadata suffices to tell. */
  private static @Nullable String type(JsonObject meta) {
    try {
      JobDocument.policy(meta.object("limits"));
      JobDocument.priority(meta);
      return switch (meta.string("mode", null)) {
        case "text" -> "generate";
        case "embed" -> "embed";
        case "job" -> meta.flag("inspect", false) ? null : shared(meta.string("type", null));
        case null, default -> null;
      };
    } catch (IllegalArgumentException | JsonException e) {
      return null;
    }
  }

  /** One text for all jobs of a type: there may be a million. */
  private static @Nullable String shared(@Nullable String type) {
    return type == null ? null : type.intern();
  }

  private void report(String name, String what) {
    synchronized (reported) {
      if (reported.size() < 10_000 && reported.add(name)) {
        LOG.log(Level.WARNING, name.replaceAll("\\p{Cntrl}", "?") + " " + what);
      }
    }
  }

  /** Runs an action on a job; its errors do not affect other jobs. */
  public void runIsolated(JobId id, Runnable work) {
    try {
      work.run();
    } catch (StoreBrokenException | StoreException.Closed e) {
      throw e;
    } catch (UncheckedIOException e) {
      updater.readLater(id);
      report("job " + id, "is skipped for now: " + StoreErrors.explain(e.getCause()));
    } catch (JobException e) {
      quarantine(id, e);
    } catch (StoreException e) {
      updater.readLater(id);
      report("job " + id, "is skipped for now: " + e.getMessage());
    } catch (RuntimeException | Error e) {
      quarantine(id, e);
    }
  }

  /** Its reading may have quarantined it already. */
  private void quarantine(JobId id, Throwable problem) {
    if (!updater.isQuarantined(id)) {
      updater.quarantine(id, problem);
    }
  }

  /**
   * Starts to watch the file system.
   *
   * @param troubled whether a job was skipped that may be readable at the next rescan
   */
  public void watch(BooleanSupplier troubled) throws IOException {
    watch = new DirectoryWatcher(layout, this, inbox, troubled);
    watch.start();
  }

  @Override
  public void close() {
    if (watch != null) {
      watch.close();
    }
  }
}

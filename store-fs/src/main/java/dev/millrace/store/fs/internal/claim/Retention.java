package dev.millrace.store.fs.internal.claim;

import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.JobView;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.disk.DirectoryDeleter;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.JobFiles;
import dev.millrace.store.fs.internal.files.JobFiles.AnsweredTask;
import dev.millrace.store.fs.internal.files.JobFiles.JobDirectory;
import dev.millrace.store.fs.internal.files.JobFiles.PartialOutput;
import dev.millrace.store.fs.internal.files.JobMetaFile;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.EndedClaims;
import dev.millrace.store.fs.internal.jobs.EndedClaims.EndedClaim;
import dev.millrace.store.fs.internal.jobs.JobClaimKey;
import dev.millrace.store.fs.internal.jobs.JobWriter;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Handles jobs that have ended: late answers of workers, and deletion by a user. */
public final class Retention {
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final FsReader reader;
  private final GroupCommit commits;
  private final JobWriter writer;
  private final EndedClaims endedClaims;

  public Retention(
      Disk disk, WorkspaceLayout layout, FsReader reader, GroupCommit commits, JobWriter writer) {
    this.disk = disk;
    this.layout = layout;
    this.commits = commits;
    this.reader = reader;
    this.writer = writer;
    this.endedClaims = writer.endedClaims();
  }

  /** Deletes a job; false if it has not ended or does not exist. */
  public boolean delete(JobId id) {
    try {
      UnsyncedChanges unsynced = new UnsyncedChanges();
      Optional<Path> trash = writer.endedJobs().remove(id, unsynced);
      if (trash.isEmpty()) {
        return false;
      }
      endedClaims.end(id);
      commits.commit(unsynced);
      DirectoryDeleter.delete(disk, trash.get());
      writer.notifier().changed(id);
      return true;
    } catch (IOException e) {
      throw StoreErrors.of("cannot delete job " + id, e);
    }
  }

  /** Renames a job out of sight before deleting it, so that no reader sees half a job. */
  public int prune(Instant before, Set<JobState> states) {
    List<JobId> pruned = new ArrayList<>();
    UnsyncedChanges unsynced = new UnsyncedChanges();
    try {
      try {
        for (JobState state : states.stream().filter(JobState::isFinal).toList()) {
          prune(before, state, pruned, unsynced);
        }
      } finally {
        commits.commit(unsynced);
        pruned.forEach(endedClaims::end);
        pruned.forEach(writer.notifier()::changed);
      }
      emptyTrash();
      return pruned.size();
    } catch (IOException e) {
      throw StoreErrors.of("cannot prune " + layout.root(), e);
    }
  }

  private void prune(Instant before, JobState state, List<JobId> pruned, UnsyncedChanges unsynced)
      throws IOException {
    List<JobId> ids = new ArrayList<>();
    disk.list(
        layout.of(state),
        name -> {
          JobId.parse(name).ifPresent(ids::add);
          return true;
        });
    for (JobId id : ids) {
      if (!writer.jobs().isActive(id) // else it is just being moved there
          && endedBefore(id, state, before)
          && writer.endedJobs().remove(id, unsynced).isPresent()) {
        pruned.add(id);
      }
    }
  }

  private boolean endedBefore(JobId id, JobState state, Instant before) throws IOException {
    Instant end = JobMetaFile.completedAt(JobMetaFile.read(disk, layout.of(state, id)));
    if (end == null) {
      try {
        end = reader.find(id).map(JobView::completedAt).orElse(null);
      } catch (JobException e) {
        end = disk.modified(layout.of(state, id)); // it is damaged: assume that it ended no earlier
      }
    }
    return end != null && end.isBefore(before);
  }

  /** Deletes jobs that were pruned, now or before a crash, once the rename is durable. */
  public void emptyTrash() throws IOException {
    List<String> names = new ArrayList<>();
    disk.list(layout.internalPath("trash"), names::add);
    if (!names.isEmpty()) {
      commits.commit(new UnsyncedChanges().addDirectory(layout.internalPath("trash")));
    }
    for (String name : names) {
      DirectoryDeleter.delete(disk, layout.internalPath("trash").resolve(name));
    }
  }

  /** Handles an answer to a job that is no longer running; output of a cancelled worker is kept. */
  Outcome answerLate(Claim claim, PartialOutput partial) {
    EndedClaim ended = endedClaims.find(claim);
    if (ended != null) {
      keep(ended.files(), ended.at(), claim, partial);
      endedClaims.end(JobClaimKey.of(claim));
      return ended.outcome();
    }
    return reader
        .snapshot(claim.job())
        .map(
            job -> {
              Outcome fence = fence(job, claim);
              if (fence instanceof Outcome.Cancelled) {
                keep(job.files(), job.at(), claim, partial);
              }
              return fence;
            })
        .orElseGet(() -> missing(claim));
  }

  /** The signal for a worker whose job is no longer running. */
  Outcome fence(Claim claim) {
    EndedClaim ended = endedClaims.find(claim);
    return ended != null
        ? ended.outcome()
        : reader
            .snapshot(claim.job())
            .map(job -> fence(job, claim))
            .orElseGet(() -> missing(claim));
  }

  private static Outcome fence(JobOnDisk job, Claim claim) {
    Outcome fence = ClaimRules.checkFence(job.fold(), claim.key());
    return fence.isDone() ? new Outcome.Fenced(claim + ": the job has ended") : fence;
  }

  private static Outcome missing(Claim claim) {
    return new Outcome.Missing("no job " + claim.job());
  }

  private synchronized void keep(
      JobFiles files, JobDirectory at, Claim claim, PartialOutput partial) {
    try {
      if (!partial.isEmpty()) {
        files.writeLatePartial(at, AnsweredTask.of(claim), partial);
      }
    } catch (IOException e) {
      System.getLogger("dev.millrace.store")
          .log(
              Level.WARNING,
              "the partial output of " + claim + " could not be kept: " + StoreErrors.explain(e));
    }
  }
}

package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.store.Claim;
import dev.millrace.store.fs.JobFiles.Delivery;
import dev.millrace.store.fs.JobFiles.Partial;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Jobs that have ended: late answers to them, and their deletion when a user asks for it. */
final class Retention {
  private final Disk disk;
  private final Places places;
  private final FsReader reader;
  private final GroupCommit commits;

  Retention(Disk disk, Places places, FsReader reader, GroupCommit commits) {
    this.disk = disk;
    this.places = places;
    this.commits = commits;
    this.reader = reader;
  }

  /** Deletes by a rename out of sight first: no reader sees half a job. */
  int prune(Instant before, Set<JobState> states) {
    int pruned = 0;
    try {
      for (JobState state : states.stream().filter(JobState::isFinal).toList()) {
        List<JobId> ids = new ArrayList<>();
        disk.list(
            places.of(state),
            name -> {
              JobId.parse(name).ifPresent(ids::add);
              return true;
            });
        for (JobId id : ids) {
          if (endedBefore(id, state, before)) {
            disk.rename(places.of(state, id), places.own("trash").resolve(id.value()));
            pruned++;
          }
        }
      }
      emptyTrash();
      return pruned;
    } catch (IOException e) {
      throw Failures.of("cannot prune " + places.root(), e);
    }
  }

  private boolean endedBefore(JobId id, JobState state, Instant before) throws IOException {
    Instant said = Meta.completedAt(Meta.read(disk, places.of(state, id)));
    Instant end =
        said != null ? said : reader.find(id).map(view -> view.completedAt()).orElse(null);
    return end != null && end.isBefore(before);
  }

  /** Deletes what was pruned, now or before a crash, once it cannot come back in part. */
  void emptyTrash() throws IOException {
    List<String> names = new ArrayList<>();
    disk.list(places.own("trash"), names::add);
    if (!names.isEmpty()) {
      commits.commit(new Dirty().directory(places.own("trash")));
    }
    for (String name : names) {
      Trees.delete(disk, places.own("trash").resolve(name));
    }
  }

  /** An answer to a job that is no longer running; what a cancelled worker made is kept. */
  Answer late(Claim claim, Partial partial) {
    Optional<Snapshot> found = reader.snapshot(claim.job());
    if (found.isEmpty()) {
      return new Answer.Missing("no job " + claim.job());
    }
    Snapshot job = found.get();
    Answer fence = Claims.check(job.fold(), claim.hold());
    if (fence instanceof Answer.Cancelled && !partial.isEmpty()) {
      try {
        job.files().keepLate(job.at(), Delivery.of(claim), partial);
      } catch (IOException e) {
        System.getLogger("dev.millrace.store")
            .log(
                Level.WARNING,
                "the partial output of " + claim + " could not be kept: " + Failures.explain(e));
      }
    }
    return fence.done() ? new Answer.Fenced(claim + ": the job has ended") : fence;
  }
}

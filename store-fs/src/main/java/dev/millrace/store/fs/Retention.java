package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.JobTrouble;
import dev.millrace.core.store.JobView;
import dev.millrace.store.fs.JobFiles.At;
import dev.millrace.store.fs.JobFiles.Delivery;
import dev.millrace.store.fs.JobFiles.Partial;
import dev.millrace.store.fs.Orphans.Orphan;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
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
  private final Ledger ledger;
  private final Orphans orphans;

  Retention(Disk disk, Places places, FsReader reader, GroupCommit commits, Ledger ledger) {
    this.disk = disk;
    this.places = places;
    this.commits = commits;
    this.reader = reader;
    this.ledger = ledger;
    this.orphans = ledger.orphans();
  }

  /** Deletes a job; false if it has not ended or is nowhere. */
  boolean delete(JobId id) {
    try {
      Dirty dirty = new Dirty();
      Optional<Path> trash = ledger.ended().remove(id, dirty);
      if (trash.isEmpty()) {
        return false;
      }
      orphans.end(id);
      commits.commit(dirty);
      Trees.delete(disk, trash.get());
      ledger.bulletin().changed(id);
      return true;
    } catch (IOException e) {
      throw Failures.of("cannot delete job " + id, e);
    }
  }

  /** Deletes by a rename out of sight first: no reader sees half a job. */
  int prune(Instant before, Set<JobState> states) {
    List<JobId> pruned = new ArrayList<>();
    Dirty dirty = new Dirty();
    try {
      try {
        for (JobState state : states.stream().filter(JobState::isFinal).toList()) {
          prune(before, state, pruned, dirty);
        }
      } finally {
        commits.commit(dirty);
        pruned.forEach(orphans::end);
        pruned.forEach(ledger.bulletin()::changed);
      }
      emptyTrash();
      return pruned.size();
    } catch (IOException e) {
      throw Failures.of("cannot prune " + places.root(), e);
    }
  }

  private void prune(Instant before, JobState state, List<JobId> pruned, Dirty dirty)
      throws IOException {
    List<JobId> ids = new ArrayList<>();
    disk.list(
        places.of(state),
        name -> {
          JobId.parse(name).ifPresent(ids::add);
          return true;
        });
    for (JobId id : ids) {
      if (!ledger.jobs().isActive(id) // else it is just being moved there
          && endedBefore(id, state, before)
          && ledger.ended().remove(id, dirty).isPresent()) {
        pruned.add(id);
      }
    }
  }

  private boolean endedBefore(JobId id, JobState state, Instant before) throws IOException {
    Instant end = Meta.completedAt(Meta.read(disk, places.of(state, id)));
    if (end == null) {
      try {
        end = reader.find(id).map(JobView::completedAt).orElse(null);
      } catch (JobTrouble e) {
        end = disk.modified(places.of(state, id)); // it is damaged: no sooner, as far as is known
      }
    }
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
    Orphan orphan = orphans.of(claim);
    if (orphan != null) {
      keep(orphan.files(), orphan.at(), claim, partial);
      orphans.end(Holding.of(claim));
      return orphan.answer();
    }
    return reader
        .snapshot(claim.job())
        .map(
            job -> {
              Answer fence = fence(job, claim);
              if (fence instanceof Answer.Cancelled) {
                keep(job.files(), job.at(), claim, partial);
              }
              return fence;
            })
        .orElseGet(() -> missing(claim));
  }

  /** What a worker of a job that is no longer running has to know. */
  Answer fence(Claim claim) {
    Orphan orphan = orphans.of(claim);
    return orphan != null
        ? orphan.answer()
        : reader
            .snapshot(claim.job())
            .map(job -> fence(job, claim))
            .orElseGet(() -> missing(claim));
  }

  private static Answer fence(Snapshot job, Claim claim) {
    Answer fence = Claims.check(job.fold(), claim.hold());
    return fence.done() ? new Answer.Fenced(claim + ": the job has ended") : fence;
  }

  private static Answer missing(Claim claim) {
    return new Answer.Missing("no job " + claim.job());
  }

  private synchronized void keep(JobFiles files, At at, Claim claim, Partial partial) {
    try {
      if (!partial.isEmpty()) {
        files.keepLate(at, Delivery.of(claim), partial);
      }
    } catch (IOException e) {
      System.getLogger("dev.millrace.store")
          .log(
              Level.WARNING,
              "the partial output of " + claim + " could not be kept: " + Failures.explain(e));
    }
  }
}

package dev.millrace.store.fs;

import dev.millrace.core.job.JobState;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.Fact.Detail;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.task.TaskEvent;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/** Completes what a crash, another process or a hand left undone in a job that nobody else has. */
final class Recovery {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final FsSettings settings;
  private final Disk disk;
  private final Places places;
  private final GroupCommit commits;
  private final Ledger ledger;
  private final ClaimQueue queue;
  private final Leases leases;
  private final LongAdder released = new LongAdder();

  Recovery(
      FsSettings settings, GroupCommit commits, Ledger ledger, ClaimQueue queue, Leases leases) {
    this.queue = queue;
    this.leases = leases;
    this.settings = settings;
    this.disk = settings.disk();
    this.places = settings.places();
    this.commits = commits;
    this.ledger = ledger;
  }

  /**
   * Reads a job into memory; false if it turned out to have ended.
   *
   * @param told gets the job if something was added to its log, which is durable then
   * @param interrupted whether this owner had it, and could not write all of its log
   */
  boolean recover(ActiveJob job, Dirty told, boolean interrupted) throws IOException {
    Snapshot read = Snapshot.read(job.id(), job.at(), job.place(), job, null, settings.ceiling());
    job.fill(read);
    // What this owner has let go was durable: with many jobs that wait, a sync for each is a lot.
    boolean letGo = job.place() == JobState.PENDING && !interrupted && queue.knows(job.id());
    Dirty dirty = letGo && read.log().torn() == null ? new Dirty() : found(disk, places, read);
    Dirty rendered = new Dirty();
    Turn turn =
        new Turn(
            job.fold(),
            read.time(ledger.now()),
            job.files().openings(job.at(), job.fold(), rendered));
    read.reconcile(turn);
    Claims.recover(turn, ledger.epoch(), job::trace);
    turn.settle();
    commits.commit(rendered);
    job.unwritten().addAll(read.unwritten());
    Ledger.append(job, turn.entries(), dirty);
    if (job.place() == JobState.PENDING && job.fold().state() == JobState.IN_PROGRESS) {
      ledger.move(job, JobState.IN_PROGRESS, dirty); // claimed once, but the rename was lost
    }
    boolean ended = ledger.finish(job, dirty);
    commits.commit(dirty);
    turn.entries().forEach(entry -> tell(job, entry.fact()));
    if (!turn.entries().isEmpty()) {
      told.changed().add(job.id());
    }
    if (!ended) {
      leases.grantAll(job, ledger.now());
    }
    return !ended;
  }

  private void tell(ActiveJob job, Fact fact) {
    if (fact instanceof Fact.OfTask(int stage, int task, var event, Detail.Ended(var error))
        && event == TaskEvent.CEILING) {
      LOG.log(
          Level.WARNING, "job " + job.id() + ": task " + stage + "/" + task + " failed: " + error);
    } else if (fact instanceof Fact.OfTask of && of.event() == TaskEvent.RELEASE) {
      released.increment();
    }
  }

  /** How many tasks were released because their owner was gone, since this was last asked. */
  long takeReleased() {
    return released.sumThenReset();
  }

  /**
   * Cuts off what a crash left at the end of a log, and syncs the rest: its last owner may have
   * been killed before it could, and what is built on it now will be acknowledged.
   */
  static Dirty found(Disk disk, Places places, Snapshot job) throws IOException {
    Dirty dirty = new Dirty();
    Path log = job.at().file(EventLog.FILE);
    if (job.log().torn() != null) {
      LOG.log(
          Level.WARNING,
          "job "
              + job.id()
              + ": cut off a torn line of "
              + EventLog.FILE
              + ", "
              + job.log().torn());
      disk.truncate(log, job.log().length());
      dirty.file(log);
    }
    if (job.log().length() > 0) {
      dirty.file(log).directory(job.at().dir());
    }
    if (job.log().length() > 0 || job.place() != JobState.PENDING) {
      dirty.directory(places.of(job.place()));
    }
    return dirty;
  }
}

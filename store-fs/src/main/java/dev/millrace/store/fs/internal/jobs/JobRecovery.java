package dev.millrace.store.fs.internal.jobs;

import dev.millrace.core.event.Fact;
import dev.millrace.core.event.Fact.Detail;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.job.JobState;
import dev.millrace.core.task.TaskEvent;
import dev.millrace.store.fs.internal.disk.Disk;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.GroupCommit;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.disk.WorkspaceLayout;
import dev.millrace.store.fs.internal.files.EventLog;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.queue.ClaimQueue;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.concurrent.atomic.LongAdder;

/**
 * Completes what a crash, another process or a manual change left unfinished in a job. The caller
 * has it alone.
 */
final class JobRecovery {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private final FsSettings settings;
  private final Disk disk;
  private final WorkspaceLayout layout;
  private final GroupCommit commits;
  private final JobWriter writer;
  private final ClaimQueue queue;
  private final Leases leases;
  private final LongAdder released = new LongAdder();

  JobRecovery(
      FsSettings settings, GroupCommit commits, JobWriter writer, ClaimQueue queue, Leases leases) {
    this.queue = queue;
    this.leases = leases;
    this.settings = settings;
    this.disk = settings.disk();
    this.layout = settings.layout();
    this.commits = commits;
    this.writer = writer;
  }

  /**
   * Reads a job into memory; false if it turned out to have ended.
   *
   * @param notify gets the job if its log was extended, which is then durable
   * @param interrupted whether this owner had it in memory and could not write all of its log
   */
  boolean recover(ActiveJob job, UnsyncedChanges notify, boolean interrupted) throws IOException {
    JobOnDisk read = JobOnDisk.read(job.location(), job, null, settings.recoveryCeiling());
    job.load(read);
    // What this owner dropped from memory was durable; a sync for each of many waiting jobs is
    // slow.
    boolean letGo =
        job.directoryState() == JobState.PENDING && !interrupted && queue.isKnown(job.id());
    UnsyncedChanges unsynced =
        letGo && read.log().torn() == null ? new UnsyncedChanges() : repairLog(disk, layout, read);
    UnsyncedChanges rendered = new UnsyncedChanges();
    JobUpdate update =
        new JobUpdate(
            job.fold(),
            read.time(writer.now()),
            job.files().templateResolver(job.at(), job.fold(), rendered));
    read.reconcile(update);
    ClaimRules.recover(update, writer.epoch(), job::attemptProgress);
    update.runCascade();
    commits.commit(rendered);
    job.unwritten().addAll(read.unwritten());
    JobWriter.append(job, update.entries(), unsynced);
    if (job.directoryState() == JobState.PENDING && job.fold().state() == JobState.IN_PROGRESS) {
      writer.move(job, JobState.IN_PROGRESS, unsynced); // claimed once, but the rename was lost
    }
    boolean ended = writer.finish(job, unsynced);
    commits.commit(unsynced);
    update.entries().forEach(entry -> report(job, entry.fact()));
    if (!update.entries().isEmpty()) {
      notify.changedJobs().add(job.id());
    }
    if (!ended) {
      leases.grantAll(job, writer.now());
    }
    return !ended;
  }

  private void report(ActiveJob job, Fact fact) {
    if (fact instanceof Fact.TaskChanged(int stage, int task, var event, Detail.Ended(var error))
        && event == TaskEvent.CEILING) {
      LOG.log(
          Level.WARNING, "job " + job.id() + ": task " + stage + "/" + task + " failed: " + error);
    } else if (fact instanceof Fact.TaskChanged of && of.event() == TaskEvent.RELEASE) {
      released.increment();
    }
  }

  /** How many tasks were released because their owner was gone, since the last call. */
  long takeReleased() {
    return released.sumThenReset();
  }

  /**
   * Cuts off what a crash left at the end of a log, and syncs the rest: the last owner may have
   * been killed before its sync, and what is added now will be acknowledged.
   */
  static UnsyncedChanges repairLog(Disk disk, WorkspaceLayout layout, JobOnDisk job)
      throws IOException {
    UnsyncedChanges unsynced = new UnsyncedChanges();
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
      unsynced.addFile(log);
    }
    if (job.log().length() > 0) {
      unsynced.addFile(log).addDirectory(job.at().dir());
    }
    if (job.log().length() > 0 || job.directoryState() != JobState.PENDING) {
      unsynced.addDirectory(layout.of(job.directoryState()));
    }
    return unsynced;
  }
}

package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.rules.AdditionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.LeverRules;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.json.Json;
import dev.millrace.core.store.JobControls;
import dev.millrace.core.store.Lever;
import dev.millrace.core.store.LeverJson;
import dev.millrace.core.store.Outcome;
import dev.millrace.store.fs.internal.claim.Retention;
import dev.millrace.store.fs.internal.files.JobOnDisk;
import dev.millrace.store.fs.internal.files.PendingTransition;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.EndedJobWriter;
import dev.millrace.store.fs.internal.jobs.JobWriter;
import dev.millrace.store.fs.internal.read.FsReader;
import java.io.IOException;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * Carries out a user's levers in the owner's process. A request that was carried out before is
 * recognized by its id.
 */
final class OwnerControls implements JobControls {
  private final JobWriter writer;
  private final FsReader reader;
  private final Retention retention;
  private final JobAdditions growth;
  private final JobIdGenerator operations = JobIdGenerator.forThisProcess();

  OwnerControls(JobWriter writer, FsReader reader, Retention retention, JobAdditions growth) {
    this.growth = growth;
    this.writer = writer;
    this.reader = reader;
    this.retention = retention;
  }

  @Override
  public Outcome apply(JobId id, Lever lever, Cause cause) {
    return switch (lever) {
      case Lever.Pause() -> pull(id, JobEvent.PAUSE, cause);
      case Lever.Resume() -> pull(id, JobEvent.RESUME, cause);
      case Lever.Abort() -> pull(id, JobEvent.ABORT, cause);
      case Lever.Approve _, Lever.Hold _, Lever.Prioritize _ -> record(id, lever, cause);
      case Lever.Describe describe -> replaceMetadata(id, describe, cause);
      case Lever.AddStage(var spec) -> done(growth.addStage(id, spec, cause));
      case Lever.AddTasks(int stage, var tasks) -> done(growth.addTasks(id, stage, tasks, cause));
      case Lever.Delete() -> remove(id);
    };
  }

  private static Outcome done(Added added) {
    return added.outcome().isDone() ? new Outcome.Done(added.first()) : added.outcome();
  }

  private Outcome pull(JobId id, JobEvent event, Cause cause) {
    Optional<Outcome> answer =
        writer.step(
            id,
            (job, unsynced) ->
                writer.applyLever(
                    job,
                    new PendingTransition(
                        cause.op() == null ? operations.next().value() : cause.op(),
                        event,
                        JobWriter.targetState(job, event),
                        later(writer.now(), job.fold().lastAt()),
                        cause.who(),
                        cause.comment()),
                    unsynced));
    return answer
        .or(() -> reader.snapshot(id).map(job -> ended(job, event, cause)))
        .orElseGet(() -> missing(id, event.name().toLowerCase(Locale.ROOT)));
  }

  /** Recognizes a request that was carried out before the owner could reply. */
  private Outcome ended(JobOnDisk job, JobEvent event, Cause cause) {
    if (job.op() != null && job.op().id().equals(cause.op())) {
      writer.completeEndedLog(job.id()); // it was renamed, but the log does not have it yet
      return Outcome.DONE;
    }
    return knows(job.fold(), cause)
        ? Outcome.DONE
        : new Outcome.Refused(JobTransitions.TABLE.refusal(job.directoryState(), event));
  }

  private static boolean knows(JobFold fold, Cause cause) {
    return cause.op() != null && fold.hasRequest(cause.op());
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  /** A lever that only appends to the log. */
  private Outcome record(JobId id, Lever lever, Cause cause) {
    return active(id, lever, cause)
        // The job has ended: the rule only gives the reason.
        .or(
            () ->
                reader
                    .snapshot(id)
                    .map(
                        job ->
                            knows(job.fold(), cause)
                                ? Outcome.DONE
                                : LeverRules.apply(
                                    new JobUpdate(
                                        job.fold(), writer.now(), JobUpdate.TemplateResolver.NONE),
                                    lever,
                                    job.files().header(),
                                    cause)))
        .orElseGet(() -> missing(id, LeverJson.name(lever)));
  }

  /** Empty if the job has ended or does not exist. */
  private Optional<Outcome> active(JobId id, Lever lever, Cause cause) {
    return writer.step(
        id,
        (job, unsynced) -> {
          if (knows(job.fold(), cause)) {
            return Outcome.DONE;
          }
          Outcome done =
              writer.record(
                  job,
                  unsynced,
                  update -> LeverRules.apply(update, lever, job.files().header(), cause));
          writer.finish(job, unsynced);
          return done;
        });
  }

  private static Outcome missing(JobId id, String name) {
    return new Outcome.Missing("no job " + id + " to " + name);
  }

  private Outcome replaceMetadata(JobId id, Lever.Describe describe, Cause cause) {
    Json.requireDepth(describe.metadata(), "metadata");
    return active(id, describe, cause)
        .or(() -> describeEnded(id, describe, cause))
        .orElseGet(() -> missing(id, "describe"));
  }

  private Optional<Outcome> describeEnded(JobId id, Lever.Describe describe, Cause cause) {
    try {
      Optional<EndedJobWriter.Recorded> done =
          writer
              .endedJobs()
              .record(
                  id,
                  update ->
                      knows(update.fold(), cause)
                          ? Outcome.DONE
                          : AdditionRules.replaceMetadata(
                              update,
                              describe.stage(),
                              describe.task(),
                              describe.metadata(),
                              cause));
      if (done.isPresent() && done.get().changed()) {
        writer.notifier().changed(id);
      }
      return done.map(EndedJobWriter.Recorded::outcome);
    } catch (IOException e) {
      throw StoreErrors.ofJob("cannot write job " + id, e);
    }
  }

  private Outcome remove(JobId id) {
    writer.requireIntact();
    // A job in memory is handled on its own: it may be just ending.
    Optional<JobState> going =
        writer.jobs().isActive(id)
            ? writer.step(id, (job, _) -> job.fold().state())
            : reader.state(id).filter(state -> !state.isFinal());
    if (going.isPresent()) {
      return new Outcome.Refused(
          Outcome.Reason.JOB_NOT_ENDED, "the job is " + going.get() + "; abort it first");
    }
    return retention.delete(id) ? Outcome.DONE : missing(id, "delete");
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    writer.requireIntact();
    return retention.prune(before, states);
  }
}

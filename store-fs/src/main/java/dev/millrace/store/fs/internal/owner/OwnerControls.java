package dev.millrace.store.fs.internal.owner;

import dev.millrace.core.event.Cause;
import dev.millrace.core.internal.rules.AdditionRules;
import dev.millrace.core.internal.rules.JobFold;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.LeverRules;
import dev.millrace.core.internal.rules.ViewFactory;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobIdGenerator;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.JobControls;
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
import java.util.List;
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
  public Outcome pause(JobId id, Cause cause) {
    return pull(id, JobEvent.PAUSE, cause);
  }

  @Override
  public Outcome resume(JobId id, Cause cause) {
    return pull(id, JobEvent.RESUME, cause);
  }

  @Override
  public Outcome abort(JobId id, Cause cause) {
    return pull(id, JobEvent.ABORT, cause);
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

  @Override
  public Outcome approve(JobId id, int stage, Cause cause) {
    return record(id, "approve", cause, (_, update) -> LeverRules.approve(update, stage, cause));
  }

  @Override
  public Outcome hold(JobId id, int stage, Cause cause) {
    return record(id, "hold", cause, (_, update) -> LeverRules.hold(update, stage, cause));
  }

  @Override
  public Outcome prioritize(JobId id, Priority priority, Cause cause) {
    return record(
        id,
        "prioritize",
        cause,
        (now, update) -> AdditionRules.prioritize(update, priority, now, cause));
  }

  /** A lever that only appends to the log, given the job's present priority. */
  private interface Rule {
    Outcome apply(Priority now, JobUpdate update);
  }

  private Outcome record(JobId id, String name, Cause cause, Rule rule) {
    return active(id, cause, rule)
        // The job has ended: the rule only gives the reason.
        .or(
            () ->
                reader
                    .snapshot(id)
                    .map(
                        job ->
                            knows(job.fold(), cause)
                                ? Outcome.DONE
                                : rule.apply(
                                    ViewFactory.job(job.files().header(), job.fold())
                                        .header()
                                        .priority(),
                                    new JobUpdate(
                                        job.fold(),
                                        writer.now(),
                                        JobUpdate.TemplateResolver.NONE))))
        .orElseGet(() -> missing(id, name));
  }

  /** Empty if the job has ended or does not exist. */
  private Optional<Outcome> active(JobId id, Cause cause, Rule rule) {
    return writer.step(
        id,
        (job, unsynced) -> {
          if (knows(job.fold(), cause)) {
            return Outcome.DONE;
          }
          Outcome done = writer.record(job, unsynced, update -> rule.apply(job.priority(), update));
          writer.finish(job, unsynced);
          return done;
        });
  }

  private static Outcome missing(JobId id, String name) {
    return new Outcome.Missing("no job " + id + " to " + name);
  }

  @Override
  public Outcome replaceMetadata(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    Json.requireDepth(metadata, "metadata");
    return active(
            id,
            cause,
            (_, update) -> AdditionRules.replaceMetadata(update, stage, task, metadata, cause))
        .or(() -> describeEnded(id, stage, task, metadata, cause))
        .orElseGet(() -> missing(id, "describe"));
  }

  private Optional<Outcome> describeEnded(
      JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    try {
      Optional<EndedJobWriter.Recorded> done =
          writer
              .endedJobs()
              .record(
                  id,
                  update ->
                      knows(update.fold(), cause)
                          ? Outcome.DONE
                          : AdditionRules.replaceMetadata(update, stage, task, metadata, cause));
      if (done.isPresent() && done.get().changed()) {
        writer.notifier().changed(id);
      }
      return done.map(EndedJobWriter.Recorded::outcome);
    } catch (IOException e) {
      throw StoreErrors.ofJob("cannot write job " + id, e);
    }
  }

  @Override
  public Added addStage(JobId id, StageSpec spec, Cause cause) {
    return growth.addStage(id, spec, cause);
  }

  @Override
  public Added addTasks(JobId id, int stage, List<TaskSpec> tasks, Cause cause) {
    return growth.addTasks(id, stage, tasks, cause);
  }

  @Override
  public Outcome delete(JobId id) {
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

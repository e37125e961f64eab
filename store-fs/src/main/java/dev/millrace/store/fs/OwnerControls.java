package dev.millrace.store.fs;

import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.job.Priority;
import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Additions;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.Levers;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.stage.StageSpec;
import dev.millrace.core.stage.TaskSpec;
import dev.millrace.core.store.Controls;
import dev.millrace.core.store.JobView;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A user's levers in the hands of the owner. A request that was carried out before is seen by its id. */
final class OwnerControls implements Controls {
  private final Ledger ledger;
  private final FsReader reader;
  private final Retention retention;
  private final Growth growth;
  private final IdGenerator operations = IdGenerator.forThisProcess();

  OwnerControls(Ledger ledger, FsReader reader, Retention retention, Growth growth) {
    this.growth = growth;
    this.ledger = ledger;
    this.reader = reader;
    this.retention = retention;
  }

  @Override
  public Answer pause(JobId id, Cause cause) {
    return pull(id, JobEvent.PAUSE, cause);
  }

  @Override
  public Answer resume(JobId id, Cause cause) {
    return pull(id, JobEvent.RESUME, cause);
  }

  @Override
  public Answer abort(JobId id, Cause cause) {
    return pull(id, JobEvent.ABORT, cause);
  }

  private Answer pull(JobId id, JobEvent event, Cause cause) {
    Optional<Answer> answer =
        ledger.step(
            id,
            (job, dirty) ->
                ledger.pull(
                    job,
                    new Operation(
                        cause.op() == null ? operations.next().value() : cause.op(),
                        event,
                        Ledger.target(job, event),
                        later(ledger.now(), job.fold().lastAt()),
                        cause.who(),
                        cause.comment()),
                    dirty));
    return answer
        .or(() -> reader.snapshot(id).map(job -> ended(job, event, cause)))
        .orElseGet(() -> missing(id, event.name().toLowerCase(Locale.ROOT)));
  }

  /** A request that was carried out before its owner could say so has been done. */
  private Answer ended(Snapshot job, JobEvent event, Cause cause) {
    if (job.op() != null && job.op().id().equals(cause.op())) {
      ledger.completeEnded(job.id()); // it was renamed, but its log does not say so yet
      return Answer.DONE;
    }
    return knows(job.fold(), cause)
        ? Answer.DONE
        : new Answer.Refused(JobTransitions.TABLE.refusal(job.place(), event));
  }

  private static boolean knows(JobFold fold, Cause cause) {
    return cause.op() != null && fold.knows(cause.op());
  }

  private static Instant later(Instant a, Instant b) {
    return a.isAfter(b) ? a : b;
  }

  @Override
  public Answer approve(JobId id, int stage, Cause cause) {
    return record(id, "approve", cause, (_, turn) -> Levers.approve(turn, stage, cause));
  }

  @Override
  public Answer hold(JobId id, int stage, Cause cause) {
    return record(id, "hold", cause, (_, turn) -> Levers.hold(turn, stage, cause));
  }

  @Override
  public Answer prioritize(JobId id, Priority priority, Cause cause) {
    return record(
        id, "prioritize", cause, (now, turn) -> Additions.prioritize(turn, priority, now, cause));
  }

  /** What a lever that only adds to the log does, given the job's present priority. */
  private interface Rule {
    Answer apply(Priority now, Turn turn);
  }

  private Answer record(JobId id, String name, Cause cause, Rule rule) {
    return active(id, cause, rule)
        // Of a job that has ended, nothing is left to change: the rule only says why.
        .or(
            () ->
                reader
                    .snapshot(id)
                    .map(
                        job ->
                            knows(job.fold(), cause)
                                ? Answer.DONE
                                : rule.apply(
                                    JobView.of(job.files().header(), job.fold())
                                        .header()
                                        .priority(),
                                    new Turn(job.fold(), ledger.now(), Turn.Openings.NONE))))
        .orElseGet(() -> missing(id, name));
  }

  /** Empty if the job has ended or is nowhere. */
  private Optional<Answer> active(JobId id, Cause cause, Rule rule) {
    return ledger.step(
        id,
        (job, dirty) -> {
          if (knows(job.fold(), cause)) {
            return Answer.DONE;
          }
          Answer done = ledger.record(job, dirty, turn -> rule.apply(job.priority(), turn));
          ledger.finish(job, dirty);
          return done;
        });
  }

  private static Answer missing(JobId id, String name) {
    return new Answer.Missing("no job " + id + " to " + name);
  }

  @Override
  public Answer describe(JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    Json.requireDepth(metadata, "metadata");
    return active(id, cause, (_, turn) -> Additions.describe(turn, stage, task, metadata, cause))
        .or(() -> describeEnded(id, stage, task, metadata, cause))
        .orElseGet(() -> missing(id, "describe"));
  }

  private Optional<Answer> describeEnded(
      JobId id, int stage, int task, JsonObject metadata, Cause cause) {
    try {
      Optional<EndedJobs.Recorded> done =
          ledger
              .ended()
              .record(
                  id,
                  turn ->
                      knows(turn.fold(), cause)
                          ? Answer.DONE
                          : Additions.describe(turn, stage, task, metadata, cause));
      if (done.isPresent() && done.get().changed()) {
        ledger.bulletin().changed(id);
      }
      return done.map(EndedJobs.Recorded::answer);
    } catch (IOException e) {
      throw Failures.ofJob("cannot write job " + id, e);
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
  public Answer delete(JobId id) {
    ledger.check();
    // One that is in memory is looked at in its turn: it may be just ending.
    Optional<JobState> going =
        ledger.jobs().isActive(id)
            ? ledger.step(id, (job, _) -> job.fold().state())
            : reader.state(id).filter(state -> !state.isFinal());
    if (going.isPresent()) {
      return new Answer.Refused(
          Answer.Reason.JOB_NOT_ENDED, "the job is " + going.get() + "; abort it first");
    }
    return retention.delete(id) ? Answer.DONE : missing(id, "delete");
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    ledger.check();
    return retention.prune(before, states);
  }
}

package dev.millrace.store.fs;

import dev.millrace.core.job.IdGenerator;
import dev.millrace.core.job.JobEvent;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.job.JobTransitions;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Cause;
import dev.millrace.core.rules.JobFold;
import dev.millrace.core.rules.Levers;
import dev.millrace.core.rules.Turn;
import dev.millrace.core.store.Controls;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;

/** A user's levers in the hands of the owner. A request that was carried out before is seen by its id. */
final class OwnerControls implements Controls {
  private final Ledger ledger;
  private final FsReader reader;
  private final Retention retention;
  private final IdGenerator operations = IdGenerator.forThisProcess();

  OwnerControls(Ledger ledger, FsReader reader, Retention retention) {
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
        .orElseGet(
            () ->
                new Answer.Missing(
                    "no job " + id + " to " + event.name().toLowerCase(Locale.ROOT)));
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
    return onStage(id, "approve", (turn, by) -> Levers.approve(turn, stage, by), cause);
  }

  @Override
  public Answer hold(JobId id, int stage, Cause cause) {
    return onStage(id, "hold", (turn, by) -> Levers.hold(turn, stage, by), cause);
  }

  private Answer onStage(JobId id, String name, BiFunction<Turn, Cause, Answer> rule, Cause cause) {
    Optional<Answer> answer =
        ledger.step(
            id,
            (job, dirty) -> {
              if (knows(job.fold(), cause)) {
                return Answer.DONE;
              }
              Answer done = ledger.record(job, dirty, turn -> rule.apply(turn, cause));
              ledger.finish(job, dirty);
              return done;
            });
    // Of a job that has ended, nothing is left to change: the rule only says why.
    return answer
        .or(
            () ->
                reader
                    .snapshot(id)
                    .map(
                        job ->
                            knows(job.fold(), cause)
                                ? Answer.DONE
                                : rule.apply(
                                    new Turn(job.fold(), ledger.now(), Turn.Openings.NONE), cause)))
        .orElseGet(() -> new Answer.Missing("no job " + id + " to " + name));
  }

  @Override
  public int prune(Instant before, Set<JobState> states) {
    ledger.check();
    return retention.prune(before, states);
  }
}

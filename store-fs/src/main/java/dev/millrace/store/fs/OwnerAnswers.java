package dev.millrace.store.fs;

import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.rules.Answer;
import dev.millrace.core.rules.Claims;
import dev.millrace.core.rules.Claims.Hold;
import dev.millrace.core.rules.Fact;
import dev.millrace.core.rules.Pulse;
import dev.millrace.core.store.Claim;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.Piece;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.JobFiles.Delivery;
import dev.millrace.store.fs.JobFiles.Partial;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** What workers say of their claims, in the hands of the owner. Thread-safe. */
final class OwnerAnswers {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final Fact.Detail.Completed NOWHERE = new Fact.Detail.Completed(0, 0);

  private final FsSettings settings;
  private final Ledger ledger;
  private final Leases leases;
  private final Retention retention;

  /**
   * Claims whose journals could not be written. It is kept here because jobs are forgotten and read
   * again: a gap in a journal would be worse than its end.
   */
  private final Set<Holding> unjournaled = ConcurrentHashMap.newKeySet();

  OwnerAnswers(FsSettings settings, Ledger ledger, Leases leases, Retention retention) {
    this.settings = settings;
    this.ledger = ledger;
    this.leases = leases;
    this.retention = retention;
  }

  Answer complete(Claim claim, TaskResult result) {
    // The result is durable before its event is written: there is never an event without it.
    Fact.Detail.Completed delivered =
        ledger
            .step(
                claim.job(),
                (job, dirty) ->
                    Claims.check(job.fold(), claim.hold()).done()
                        ? job.files().deliver(job.at(), Delivery.of(claim), result, dirty)
                        : NOWHERE)
            .orElse(NOWHERE);
    Hold hold = claim.hold();
    AtomicReference<@Nullable Path> journal = new AtomicReference<>();
    Answer answer =
        answer(
            claim,
            Partial.of(result),
            (job, dirty) -> {
              job.files().delivered(job.at());
              boolean journaled = job.hasJournal(hold);
              Answer done =
                  ledger.record(job, dirty, turn -> Claims.complete(turn, hold, delivered));
              if (journaled && !job.fold().state().isFinal()) {
                journal.set(
                    job.files().journal(job.at(), job.fold().stage(hold.stage()), hold.task()));
              }
              return done;
            });
    if (journal.get() != null) {
      removeJournal(journal.get());
    }
    return answer;
  }

  /**
   * The result is durable, so nobody goes on from there; one that stays is removed with the rest.
   */
  private void removeJournal(Path file) {
    try {
      settings.disk().delete(file);
    } catch (NoSuchFileException e) {
      // it was never begun, or its job moved
    } catch (IOException e) {
      LOG.log(Level.WARNING, file + " could not be removed: " + Failures.explain(e));
    }
  }

  Answer fail(Claim claim, Failure failure) {
    Partial partial = Partial.of(failure);
    return answer(
        claim,
        partial,
        (job, dirty) -> {
          if (!partial.isEmpty()) {
            job.files().keepPartial(job.at(), Delivery.of(claim), partial, dirty);
          }
          double random = settings.random().nextDouble();
          return ledger.record(
              job, dirty, turn -> Claims.fail(turn, claim.hold(), failure, random));
        });
  }

  Answer release(Claim claim, String reason) {
    return answer(
        claim,
        Partial.NONE,
        (job, dirty) ->
            ledger.record(job, dirty, turn -> Claims.release(turn, claim.hold(), reason)));
  }

  /** The present claim of a running task. */
  Optional<Claim> held(JobId id, int stage, int task) {
    if (!ledger.jobs().isActive(id) && !ledger.jobs().mayRun(id)) {
      return Optional.empty(); // a job that waits need not be read to know that
    }
    AtomicLong durable = new AtomicLong();
    Optional<Claim> claim =
        ledger
            .jot(
                id,
                (job, _) -> {
                  durable.set(job.batch());
                  boolean runs =
                      job.fold().hasStage(stage)
                          && job.fold().stage(stage).hasTask(task)
                          && job.fold().stage(stage).task(task).state() == TaskState.IN_PROGRESS;
                  return runs
                      ? Optional.of(job.claim(job.fold().stage(stage), task))
                      : Optional.<Claim>empty();
                })
            .flatMap(held -> held);
    ledger.await(durable.get());
    return claim;
  }

  /** Commits an answer if its claim is the present one. */
  private Answer answer(Claim claim, Partial partial, Ledger.Step<Answer> commit) {
    Optional<Answer> answer =
        ledger.step(
            claim.job(),
            (job, dirty) -> {
              Answer fence = Claims.check(job.fold(), claim.hold());
              if (!fence.done()) {
                return fence;
              }
              Answer done = commit.run(job, dirty);
              ledger.finish(job, dirty);
              return done;
            });
    leases.end(Holding.of(claim));
    unjournaled.remove(Holding.of(claim));
    return answer.orElseGet(() -> retention.late(claim, partial));
  }

  Pulse heartbeat(Claim claim, boolean progress) {
    leases.renew(claim, ledger.now());
    return ledger
        .step(
            claim.job(),
            (job, dirty) -> {
              Pulse pulse = Claims.pulse(job.fold(), claim.hold());
              if (progress && holds(pulse)) {
                progress(job, claim, dirty);
              }
              return pulse;
            })
        .orElseGet(() -> latePulse(claim));
  }

  private static boolean holds(Pulse pulse) {
    return pulse == Pulse.CONTINUE || pulse == Pulse.PAUSE;
  }

  private void progress(ActiveJob job, Claim claim, Dirty dirty) throws IOException {
    if (Claims.recovered(job.fold(), claim.hold())) {
      ledger.record(job, dirty, turn -> Claims.progress(turn, claim.hold()));
    }
  }

  private Pulse latePulse(Claim claim) {
    return retention.fence(claim) instanceof Answer.Cancelled ? Pulse.CANCEL : Pulse.LOST;
  }

  Answer freeze(Claim claim, JsonObject terms) {
    return ledger
        .jot(
            claim.job(),
            (job, dirty) -> {
              Answer done =
                  ledger.record(job, dirty, turn -> Claims.freeze(turn, claim.hold(), terms));
              if (done.done()) {
                unjournaled.remove(Holding.of(claim)); // what comes now is of another journal
              }
              return done;
            })
        .orElseGet(() -> retention.fence(claim));
  }

  /** Hot: one append, and nothing else that grows with the job, the journal or the queue. */
  Pulse journal(Claim claim, Piece piece) {
    leases.renew(claim, ledger.now());
    return ledger
        .jot(
            claim.job(),
            (job, dirty) -> {
              Pulse pulse = Claims.pulse(job.fold(), claim.hold());
              if (holds(pulse)) {
                if (!piece.tokens().isEmpty()) {
                  progress(job, claim, dirty);
                }
                append(job, claim, piece);
              }
              return pulse;
            })
        .orElseGet(() -> latePulse(claim));
  }

  /** A journal is an aid: one that cannot be written ends there, and the task goes on. */
  private void append(ActiveJob job, Claim claim, Piece piece) {
    Holding holding = Holding.of(claim);
    if (unjournaled.contains(holding)) {
      return;
    }
    try {
      job.journal(claim.hold(), piece);
    } catch (IOException e) {
      unjournaled.add(holding);
      LOG.log(
          Level.WARNING,
          "the journal of "
              + claim
              + " cannot be written and ends here: "
              + Failures.explain(e)
              + "; after a crash the task begins again from there");
    }
  }

  void log(Claim claim, String level, String line) {
    ledger.jot(
        claim.job(),
        (job, dirty) ->
            ledger.record(
                job,
                dirty,
                turn -> {
                  if (Claims.check(turn.fold(), claim.hold()).done()) {
                    turn.record(
                        new Fact.Line(claim.hold().stage(), claim.hold().task(), level, line));
                  }
                  return Answer.DONE;
                }));
  }
}

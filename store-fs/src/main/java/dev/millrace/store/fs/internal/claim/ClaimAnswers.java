package dev.millrace.store.fs.internal.claim;

import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.job.JobId;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.task.ClaimKey;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import dev.millrace.store.fs.internal.disk.FsSettings;
import dev.millrace.store.fs.internal.disk.UnsyncedChanges;
import dev.millrace.store.fs.internal.files.JobFiles.AnsweredTask;
import dev.millrace.store.fs.internal.files.JobFiles.PartialOutput;
import dev.millrace.store.fs.internal.files.StoreErrors;
import dev.millrace.store.fs.internal.jobs.ActiveJob;
import dev.millrace.store.fs.internal.jobs.JobClaimKey;
import dev.millrace.store.fs.internal.jobs.JobWriter;
import dev.millrace.store.fs.internal.jobs.Leases;
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
public final class ClaimAnswers {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final Fact.Detail.Completed NOWHERE = new Fact.Detail.Completed(0, 0);

  private final FsSettings settings;
  private final JobWriter ledger;
  private final Leases leases;
  private final Retention retention;

  /**
   * Claims whose journals could not be written. It is kept here because jobs are forgotten and read
   * again: a gap in a journal would be worse than its end.
   */
  private final Set<JobClaimKey> unjournaled = ConcurrentHashMap.newKeySet();

  public ClaimAnswers(FsSettings settings, JobWriter ledger, Leases leases, Retention retention) {
    this.settings = settings;
    this.ledger = ledger;
    this.leases = leases;
    this.retention = retention;
  }

  public Outcome complete(Claim claim, TaskResult result) {
    // The result is durable before its event is written: there is never an event without it.
    Fact.Detail.Completed delivered =
        ledger
            .step(
                claim.job(),
                (job, dirty) ->
                    ClaimRules.checkFence(job.fold(), claim.key()).isDone()
                        ? job.files().writeResult(job.at(), AnsweredTask.of(claim), result, dirty)
                        : NOWHERE)
            .orElse(NOWHERE);
    ClaimKey hold = claim.key();
    AtomicReference<@Nullable Path> journal = new AtomicReference<>();
    Outcome answer =
        answer(
            claim,
            PartialOutput.of(result),
            (job, dirty) -> {
              job.files().publishResult(job.at());
              boolean journaled = job.hasJournal(hold);
              Outcome done =
                  ledger.record(job, dirty, turn -> ClaimRules.complete(turn, hold, delivered));
              if (journaled && !job.fold().state().isFinal()) {
                journal.set(
                    job.files().journalFile(job.at(), job.fold().stage(hold.stage()), hold.task()));
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
      LOG.log(Level.WARNING, file + " could not be removed: " + StoreErrors.explain(e));
    }
  }

  public Outcome fail(Claim claim, Failure failure) {
    PartialOutput partial = PartialOutput.of(failure);
    return answer(
        claim,
        partial,
        (job, dirty) -> {
          if (!partial.isEmpty()) {
            job.files().writePartial(job.at(), AnsweredTask.of(claim), partial, dirty);
          }
          double random = settings.random().nextDouble();
          return ledger.record(
              job, dirty, turn -> ClaimRules.fail(turn, claim.key(), failure, random));
        });
  }

  public Outcome release(Claim claim, String reason) {
    return answer(
        claim,
        PartialOutput.NONE,
        (job, dirty) ->
            ledger.record(job, dirty, turn -> ClaimRules.release(turn, claim.key(), reason)));
  }

  /** The present claim of a running task. */
  public Optional<Claim> held(JobId id, int stage, int task) {
    if (!ledger.jobs().isActive(id) && !ledger.jobs().mayRun(id)) {
      return Optional.empty(); // a job that waits need not be read to know that
    }
    AtomicLong durable = new AtomicLong();
    Optional<Claim> claim =
        ledger
            .stepWithoutSync(
                id,
                (job, _) -> {
                  durable.set(job.lastSync());
                  boolean runs =
                      job.fold().hasStage(stage)
                          && job.fold().stage(stage).hasTask(task)
                          && job.fold().stage(stage).task(task).state() == TaskState.IN_PROGRESS;
                  return runs
                      ? Optional.of(job.claim(job.fold().stage(stage), task))
                      : Optional.<Claim>empty();
                })
            .flatMap(held -> held);
    ledger.awaitSync(durable.get());
    return claim;
  }

  /** Commits an answer if its claim is the present one. */
  private Outcome answer(Claim claim, PartialOutput partial, JobWriter.Step<Outcome> commit) {
    Optional<Outcome> answer =
        ledger.step(
            claim.job(),
            (job, dirty) -> {
              Outcome fence = ClaimRules.checkFence(job.fold(), claim.key());
              if (!fence.isDone()) {
                return fence;
              }
              Outcome done = commit.run(job, dirty);
              ledger.finish(job, dirty);
              return done;
            });
    leases.end(JobClaimKey.of(claim));
    unjournaled.remove(JobClaimKey.of(claim));
    return answer.orElseGet(() -> retention.answerLate(claim, partial));
  }

  public ClaimSignal heartbeat(Claim claim, boolean progress) {
    leases.renew(claim, ledger.now());
    return ledger
        .step(
            claim.job(),
            (job, dirty) -> {
              ClaimSignal pulse = ClaimRules.signal(job.fold(), claim.key());
              if (progress && holds(pulse)) {
                progress(job, claim, dirty);
              }
              return pulse;
            })
        .orElseGet(() -> latePulse(claim));
  }

  private static boolean holds(ClaimSignal pulse) {
    return pulse == ClaimSignal.CONTINUE || pulse == ClaimSignal.PAUSE;
  }

  private void progress(ActiveJob job, Claim claim, UnsyncedChanges dirty) throws IOException {
    if (ClaimRules.hasCountedRecoveries(job.fold(), claim.key())) {
      ledger.record(job, dirty, turn -> ClaimRules.progress(turn, claim.key()));
    }
  }

  private ClaimSignal latePulse(Claim claim) {
    return retention.fence(claim) instanceof Outcome.Cancelled
        ? ClaimSignal.CANCEL
        : ClaimSignal.LOST;
  }

  public Outcome freeze(Claim claim, JsonObject terms) {
    return ledger
        .stepWithoutSync(
            claim.job(),
            (job, dirty) -> {
              Outcome done =
                  ledger.record(job, dirty, turn -> ClaimRules.freeze(turn, claim.key(), terms));
              if (done.isDone()) {
                unjournaled.remove(JobClaimKey.of(claim)); // what comes now is of another journal
              }
              return done;
            })
        .orElseGet(() -> retention.fence(claim));
  }

  /** Hot: one append, and nothing else that grows with the job, the journal or the queue. */
  public ClaimSignal journal(Claim claim, OutputChunk piece) {
    leases.renew(claim, ledger.now());
    return ledger
        .stepWithoutSync(
            claim.job(),
            (job, dirty) -> {
              ClaimSignal pulse = ClaimRules.signal(job.fold(), claim.key());
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
  private void append(ActiveJob job, Claim claim, OutputChunk piece) {
    JobClaimKey holding = JobClaimKey.of(claim);
    if (unjournaled.contains(holding)) {
      return;
    }
    try {
      job.appendJournal(claim.key(), piece);
    } catch (IOException e) {
      unjournaled.add(holding);
      LOG.log(
          Level.WARNING,
          "the journal of "
              + claim
              + " cannot be written and ends here: "
              + StoreErrors.explain(e)
              + "; after a crash the task begins again from there");
    }
  }

  public void log(Claim claim, String level, String line) {
    ledger.stepWithoutSync(
        claim.job(),
        (job, dirty) ->
            ledger.record(
                job,
                dirty,
                turn -> {
                  if (ClaimRules.checkFence(turn.fold(), claim.key()).isDone()) {
                    turn.record(
                        new Fact.WorkerLogLine(
                            claim.key().stage(), claim.key().task(), level, line));
                  }
                  return Outcome.DONE;
                }));
  }
}

package dev.millrace.core.internal.store;

import dev.millrace.core.event.Fact;
import dev.millrace.core.internal.lease.JobClaimKey;
import dev.millrace.core.internal.rules.ClaimRules;
import dev.millrace.core.internal.rules.JobUpdate;
import dev.millrace.core.internal.rules.WorkerLogRules;
import dev.millrace.core.internal.secret.SecretRedactor;
import dev.millrace.core.internal.store.JobRepository.KeptResult;
import dev.millrace.core.job.JobId;
import dev.millrace.core.job.JobState;
import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Claim;
import dev.millrace.core.store.ClaimSignal;
import dev.millrace.core.store.JobException;
import dev.millrace.core.store.Outcome;
import dev.millrace.core.store.StoreException;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.core.task.TaskResult;
import dev.millrace.core.task.TaskState;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Takes the answers of workers to their claims. Thread-safe. */
final class WorkerAnswers<J extends StoredJob> {
  private static final Logger LOG = System.getLogger("dev.millrace.store");

  private static final Fact.Detail.Completed NO_RESULT = new Fact.Detail.Completed(0, 0);

  private final JobRepository<J> repository;
  private final JobUpdater<J> updater;
  private final Claimer<J> claimer;
  private final RandomGenerator random;

  /**
   * Claims whose journals could not be written. They are remembered here because jobs are dropped
   * from memory and read again: a gap in a journal is worse than a short journal.
   */
  private final Set<JobClaimKey> unjournaled = ConcurrentHashMap.newKeySet();

  WorkerAnswers(
      JobRepository<J> repository,
      JobUpdater<J> updater,
      Claimer<J> claimer,
      RandomGenerator random) {
    this.repository = repository;
    this.updater = updater;
    this.claimer = claimer;
    this.random = random;
  }

  Outcome complete(Claim claim, TaskResult result) {
    return orAbandon(claim, () -> keepAndComplete(claim, result));
  }

  /**
   * A job that cannot be read takes no answer. Nobody repeats that of a worker of this process, which
   * has no lease: its task is released when the job can be read again.
   */
  private Outcome orAbandon(Claim claim, Supplier<Outcome> answer) {
    try {
      return answer.get();
    } catch (JobException.Unreadable e) {
      if (claim.lease() == null) {
        claimer.abandon(claim);
      }
      throw e;
    }
  }

  private Outcome keepAndComplete(Claim claim, TaskResult result) {
    if (repository.keepsResultsWithEntries()) {
      return answer(
          claim,
          PartialOutput.of(result),
          (job, update) ->
              ClaimRules.complete(
                  update,
                  claim.key(),
                  signal(job, claim).isPresent()
                      ? repository.keepResult(job, claim, result).detail()
                      : NO_RESULT));
    }
    // The result is durable before its entry is written: no entry is without its result. The lock
    // is free in between, so that results of one job share a sync; the rule then decides.
    KeptResult kept = keep(claim, result);
    repository.awaitDurable(kept.commit());
    return answer(
        claim,
        PartialOutput.of(result),
        (job, update) -> {
          Outcome outcome = ClaimRules.complete(update, claim.key(), kept.detail());
          if (outcome.isDone() && !repository.isKept(job, kept)) {
            // Rare: a worker that has no token, or repeats its answer, has answered meanwhile.
            repository.awaitDurable(repository.keepResult(job, claim, result).commit());
          }
          return outcome;
        });
  }

  /** Nothing of a late worker may touch what its successor has written. */
  private KeptResult keep(Claim claim, TaskResult result) {
    KeptResult none = new KeptResult(NO_RESULT, 0);
    return updater
        .stepWithoutWaiting(
            claim.job(),
            (job, _) ->
                signal(job, claim).isPresent() ? repository.keepResult(job, claim, result) : none)
        .orElse(none);
  }

  Outcome fail(Claim claim, Failure failure) {
    PartialOutput partial = PartialOutput.of(failure);
    JobUpdater.Step<J, Outcome> rule =
        (job, update) -> {
          Outcome outcome = ClaimRules.fail(update, claim.key(), failure, random.nextDouble());
          if (outcome.isDone() && !partial.isEmpty()) {
            repository.keepPartial(job, claim, partial);
          }
          return outcome;
        };
    return orAbandon(claim, () -> answer(claim, partial, rule));
  }

  Outcome release(Claim claim, String reason) {
    String shown = SecretRedactor.redact(reason);
    JobUpdater.Step<J, Outcome> rule =
        (_, update) -> ClaimRules.release(update, claim.key(), shown);
    return orAbandon(claim, () -> answer(claim, PartialOutput.NONE, rule));
  }

  /** Commits an answer if its claim is the present one; output of a cancelled worker is kept. */
  private Outcome answer(Claim claim, PartialOutput partial, JobUpdater.Step<J, Outcome> rule) {
    Outcome answer =
        updater
            .step(
                claim.job(),
                (job, update) -> {
                  Outcome outcome = unlessEnded(job, claim, rule, update);
                  if (outcome instanceof Outcome.Cancelled && !partial.isEmpty()) {
                    keepLate(job, claim, partial);
                  }
                  job.owedAnswers().remove(claim.key());
                  return outcome;
                })
            .orElseGet(() -> missing(claim));
    repository.leases().end(JobClaimKey.of(claim));
    unjournaled.remove(JobClaimKey.of(claim));
    return answer;
  }

  /** What a rule says; an answer to a job that someone else has ended comes too late. */
  private Outcome unlessEnded(
      J job, Claim claim, JobUpdater.Step<J, Outcome> rule, JobUpdate update) throws IOException {
    return job.endedElsewhere() != null && signal(job, claim) == ClaimSignal.LOST
        ? new Outcome.Fenced(claim + ": the job has ended")
        : rule.apply(job, update);
  }

  /** What the worker of a claim does next. */
  private ClaimSignal signal(J job, Claim claim) {
    ClaimSignal signal = ClaimRules.signal(job.fold(), claim.key());
    return signal.isPresent() && job.endedElsewhere() != null ? ClaimSignal.LOST : signal;
  }

  private void keepLate(J job, Claim claim, PartialOutput partial) {
    try {
      repository.keepPartial(job, claim, partial);
    } catch (IOException e) {
      LOG.log(
          Level.WARNING,
          "the partial output of " + claim + " could not be kept: " + repository.explain(e));
    }
  }

  private static Outcome missing(Claim claim) {
    return new Outcome.Missing("no job " + claim.job());
  }

  /** The present claim of a running task. */
  Optional<Claim> find(JobId id, int stage, int task) {
    if (!updater.jobs().contains(id) && !mayRun(id)) {
      return Optional.empty(); // the job is waiting or has ended: no need to read it
    }
    AtomicLong commit = new AtomicLong();
    Optional<Claim> claim =
        updater
            .stepWithoutWaiting(
                id,
                (job, _) -> {
                  commit.set(job.commit());
                  boolean runs =
                      job.fold().hasStage(stage)
                          && job.fold().stage(stage).hasTask(task)
                          && job.fold().stage(stage).task(task).state() == TaskState.IN_PROGRESS;
                  return runs
                      ? Optional.of(claimer.present(job, job.fold().stage(stage), task))
                      : Optional.<Claim>empty();
                })
            .flatMap(held -> held);
    repository.awaitDurable(commit.get());
    return claim;
  }

  private boolean mayRun(JobId id) {
    JobState state = repository.reader().state(id).orElse(JobState.ABORTED);
    return state == JobState.IN_PROGRESS || state == JobState.PAUSED;
  }

  ClaimSignal heartbeat(Claim claim, boolean progress) {
    repository.leases().renew(JobClaimKey.of(claim), repository.now().steady());
    return updater
        .step(claim.job(), (job, update) -> signal(job, update, claim, progress))
        .orElse(ClaimSignal.LOST);
  }

  /** The signal for the claim's worker, whose progress counts while the claim is present. */
  private ClaimSignal signal(J job, JobUpdate update, Claim claim, boolean progress) {
    ClaimSignal signal = signal(job, claim);
    if (progress
        && signal.isPresent()
        && ClaimRules.hasCountedRecoveries(update.fold(), claim.key())) {
      ClaimRules.progress(update, claim.key());
    }
    return signal;
  }

  Outcome freeze(Claim claim, JsonObject terms) {
    JobUpdater.Step<J, Outcome> rule =
        (job, update) ->
            unlessEnded(
                job, claim, (_, same) -> ClaimRules.freeze(same, claim.key(), terms), update);
    Outcome answer =
        (repository.mayOutliveEntries()
                ? updater.step(claim.job(), rule)
                : updater.stepWithoutWaiting(claim.job(), rule))
            .orElseGet(() -> missing(claim));
    if (answer.isDone()) {
      unjournaled.remove(JobClaimKey.of(claim)); // from here on another journal is written
    }
    return answer;
  }

  /** Hot path: one append, and nothing that grows with the job, the journal or the queue. */
  ClaimSignal appendJournal(Claim claim, OutputChunk chunk) {
    repository.leases().renew(JobClaimKey.of(claim), repository.now().steady());
    AtomicBoolean recorded = new AtomicBoolean();
    JobUpdater.Step<J, ClaimSignal> step =
        (job, update) -> {
          ClaimSignal signal = signal(job, update, claim, !chunk.tokens().isEmpty());
          recorded.set(!update.entries().isEmpty());
          if (signal.isPresent() && !recorded.get()) {
            append(job, claim, chunk);
          }
          return signal;
        };
    ClaimSignal signal = stepWithJournal(claim, step);
    // by itself: had that step failed, its caller would have repeated a chunk that was taken
    return recorded.get() ? stepWithJournal(claim, step) : signal;
  }

  private ClaimSignal stepWithJournal(Claim claim, JobUpdater.Step<J, ClaimSignal> step) {
    return (repository.fencesJournals()
            ? updater.stepUnchecked(claim.job(), step)
            : updater.stepWithoutWaiting(claim.job(), step))
        .orElse(ClaimSignal.LOST);
  }

  /** Ends a journal that cannot be written; the task continues without it. */
  private void append(J job, Claim claim, OutputChunk chunk) {
    JobClaimKey key = JobClaimKey.of(claim);
    if (unjournaled.contains(key)) {
      return;
    }
    try {
      repository.appendJournal(job, claim.key(), chunk);
    } catch (IOException e) {
      unjournaled.add(key);
      LOG.log(
          Level.WARNING,
          "the journal of "
              + claim
              + " cannot be written and ends here: "
              + repository.explain(e)
              + "; after a crash the task resumes from there");
    } catch (ConcurrentUpdateException | StoreException e) {
      throw e; // nothing was taken: the step is repeated, or the caller does so
    } catch (RuntimeException | Error e) {
      unjournaled.add(key); // it may have written or not: what follows could leave a gap
      throw e;
    }
  }

  void log(Claim claim, String level, String line) {
    String shown = SecretRedactor.redact(line.replace("\0", "")); // which no program reads
    updater.stepWithoutWaiting(
        claim.job(),
        (job, update) -> {
          ClaimSignal signal = signal(job, claim);
          if (signal.isPresent()) {
            WorkerLogRules.record(update, claim.key(), level, shown);
          }
          return signal;
        });
  }
}

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

/** Takes the answers of workers to their claims. Thread-safe. */
public final class ClaimAnswers {
  private static final Logger LOG = System.getLogger("dev.millrace.store");
  private static final Fact.Detail.Completed NOWHERE = new Fact.Detail.Completed(0, 0);

  private final FsSettings settings;
  private final JobWriter writer;
  private final Leases leases;
  private final Retention retention;

  /**
   * Claims whose journals could not be written. They are remembered here because jobs are dropped
   * from memory and read again: a gap in a journal is worse than a short journal.
   */
  private final Set<JobClaimKey> unjournaled = ConcurrentHashMap.newKeySet();

  public ClaimAnswers(FsSettings settings, JobWriter writer, Leases leases, Retention retention) {
    this.settings = settings;
    this.writer = writer;
    this.leases = leases;
    this.retention = retention;
  }

  public Outcome complete(Claim claim, TaskResult result) {
    // The result is durable before its event is written: no event is without its result.
    Fact.Detail.Completed delivered =
        writer
            .step(
                claim.job(),
                (job, unsynced) ->
                    ClaimRules.checkFence(job.fold(), claim.key()).isDone()
                        ? job.files()
                            .writeResult(job.at(), AnsweredTask.of(claim), result, unsynced)
                        : NOWHERE)
            .orElse(NOWHERE);
    ClaimKey key = claim.key();
    AtomicReference<@Nullable Path> journal = new AtomicReference<>();
    Outcome outcome =
        answer(
            claim,
            PartialOutput.of(result),
            (job, unsynced) -> {
              job.files().publishResult(job.at());
              boolean journaled = job.hasJournal(key);
              Outcome done =
                  writer.record(
                      job, unsynced, update -> ClaimRules.complete(update, key, delivered));
              if (journaled && !job.fold().state().isFinal()) {
                journal.set(
                    job.files().journalFile(job.at(), job.fold().stage(key.stage()), key.task()));
              }
              return done;
            });
    if (journal.get() != null) {
      removeJournal(journal.get());
    }
    return outcome;
  }

  /**
   * Deletes the journal: the result is durable, so no attempt resumes from it. One that remains is
   * removed with the job's other files.
   */
  private void removeJournal(Path file) {
    try {
      settings.disk().delete(file);
    } catch (NoSuchFileException e) {
      // it never existed, or the job moved
    } catch (IOException e) {
      LOG.log(Level.WARNING, file + " could not be removed: " + StoreErrors.explain(e));
    }
  }

  public Outcome fail(Claim claim, Failure failure) {
    PartialOutput partial = PartialOutput.of(failure);
    return answer(
        claim,
        partial,
        (job, unsynced) -> {
          if (!partial.isEmpty()) {
            job.files().writePartial(job.at(), AnsweredTask.of(claim), partial, unsynced);
          }
          double random = settings.random().nextDouble();
          return writer.record(
              job, unsynced, update -> ClaimRules.fail(update, claim.key(), failure, random));
        });
  }

  public Outcome release(Claim claim, String reason) {
    return answer(
        claim,
        PartialOutput.NONE,
        (job, unsynced) ->
            writer.record(
                job, unsynced, update -> ClaimRules.release(update, claim.key(), reason)));
  }

  /** The present claim of a running task. */
  public Optional<Claim> held(JobId id, int stage, int task) {
    if (!writer.jobs().isActive(id) && !writer.jobs().mayRun(id)) {
      return Optional.empty(); // the job is waiting: no need to read it
    }
    AtomicLong durable = new AtomicLong();
    Optional<Claim> claim =
        writer
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
    writer.awaitSync(durable.get());
    return claim;
  }

  /** Commits an answer if its claim is the present one. */
  private Outcome answer(Claim claim, PartialOutput partial, JobWriter.Step<Outcome> commit) {
    Optional<Outcome> outcome =
        writer.step(
            claim.job(),
            (job, unsynced) -> {
              Outcome fence = ClaimRules.checkFence(job.fold(), claim.key());
              if (!fence.isDone()) {
                return fence;
              }
              Outcome done = commit.run(job, unsynced);
              writer.finish(job, unsynced);
              return done;
            });
    leases.end(JobClaimKey.of(claim));
    unjournaled.remove(JobClaimKey.of(claim));
    return outcome.orElseGet(() -> retention.answerLate(claim, partial));
  }

  public ClaimSignal heartbeat(Claim claim, boolean progress) {
    leases.renew(claim, writer.now());
    return writer
        .step(
            claim.job(),
            (job, unsynced) -> {
              ClaimSignal pulse = ClaimRules.signal(job.fold(), claim.key());
              if (progress && holds(pulse)) {
                progress(job, claim, unsynced);
              }
              return pulse;
            })
        .orElseGet(() -> latePulse(claim));
  }

  private static boolean holds(ClaimSignal pulse) {
    return pulse == ClaimSignal.CONTINUE || pulse == ClaimSignal.PAUSE;
  }

  private void progress(ActiveJob job, Claim claim, UnsyncedChanges unsynced) throws IOException {
    if (ClaimRules.hasCountedRecoveries(job.fold(), claim.key())) {
      writer.record(job, unsynced, update -> ClaimRules.progress(update, claim.key()));
    }
  }

  private ClaimSignal latePulse(Claim claim) {
    return retention.fence(claim) instanceof Outcome.Cancelled
        ? ClaimSignal.CANCEL
        : ClaimSignal.LOST;
  }

  public Outcome freeze(Claim claim, JsonObject terms) {
    return writer
        .stepWithoutSync(
            claim.job(),
            (job, unsynced) -> {
              Outcome done =
                  writer.record(
                      job, unsynced, update -> ClaimRules.freeze(update, claim.key(), terms));
              if (done.isDone()) {
                unjournaled.remove(
                    JobClaimKey.of(claim)); // from here on another journal is written
              }
              return done;
            })
        .orElseGet(() -> retention.fence(claim));
  }

  /** Hot path: one append, and nothing that grows with the job, the journal or the queue. */
  public ClaimSignal journal(Claim claim, OutputChunk piece) {
    leases.renew(claim, writer.now());
    return writer
        .stepWithoutSync(
            claim.job(),
            (job, unsynced) -> {
              ClaimSignal pulse = ClaimRules.signal(job.fold(), claim.key());
              if (holds(pulse)) {
                if (!piece.tokens().isEmpty()) {
                  progress(job, claim, unsynced);
                }
                append(job, claim, piece);
              }
              return pulse;
            })
        .orElseGet(() -> latePulse(claim));
  }

  /** Ends a journal that cannot be written; the task continues without it. */
  private void append(ActiveJob job, Claim claim, OutputChunk piece) {
    JobClaimKey claimKey = JobClaimKey.of(claim);
    if (unjournaled.contains(claimKey)) {
      return;
    }
    try {
      job.appendJournal(claim.key(), piece);
    } catch (IOException e) {
      unjournaled.add(claimKey);
      LOG.log(
          Level.WARNING,
          "the journal of "
              + claim
              + " cannot be written and ends here: "
              + StoreErrors.explain(e)
              + "; after a crash the task resumes from there");
    }
  }

  public void log(Claim claim, String level, String line) {
    writer.stepWithoutSync(
        claim.job(),
        (job, unsynced) ->
            writer.record(
                job,
                unsynced,
                update -> {
                  if (ClaimRules.checkFence(update.fold(), claim.key()).isDone()) {
                    update.record(
                        new Fact.WorkerLogLine(
                            claim.key().stage(), claim.key().task(), level, line));
                  }
                  return Outcome.DONE;
                }));
  }
}

package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.OutputChunk;
import dev.millrace.engine.api.FinishReason;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.error.EngineClosedException;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;
import dev.millrace.server.TaskPhase;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.TermsResolution.ClaimLost;
import dev.millrace.server.infer.run.TermsResolution.Fresh;
import dev.millrace.server.infer.run.TermsResolution.Refused;
import dev.millrace.server.infer.run.TermsResolution.Resumed;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import dev.millrace.server.infer.shelf.ModelRequest;
import java.lang.System.Logger.Level;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a generate task: requests the model, resolves the terms, and journals the tokens
 * until the generation ends.
 */
public final class GenerateRunner {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** How often one attempt restarts because its tokens cannot be trusted. */
  private static final int MAX_RESTARTS = 3;

  private final ModelLibrary library;
  private final TokenCounters counters;
  private final TaskContext task;
  private final int maxWaiting;

  public GenerateRunner(ModelLibrary library, TokenCounters counters, TaskContext task) {
    this(library, counters, task, TokenJournaler.MAX_WAITING);
  }

  /**
   * @param maxWaiting the most tokens that wait for a store that fails
   */
  GenerateRunner(ModelLibrary library, TokenCounters counters, TaskContext task, int maxWaiting) {
    this.library = library;
    this.counters = counters;
    this.task = task;
    this.maxWaiting = maxWaiting;
  }

  public TaskOutcome run() {
    try {
      GenerateParameters asked = GenerateParameters.of(task.data(), task.input());
      String model = modelName(asked);
      task.phase(TaskPhase.STARTING, model);
      ModelRequest<LoadedModel> request = library.requestGenerator(model, asked.interactive());
      task.releaseSlotWhile(() -> !library.isReady(model));
      Optional<ModelLease<LoadedModel>> lease;
      try (Subscription _ = task.stopSignal().onAny(request::cancel)) {
        lease = request.await();
      }
      if (lease.isEmpty()) {
        return stopped();
      }
      try (ModelLease<LoadedModel> lent = lease.get()) {
        task.phase(TaskPhase.STARTING, lent.item().name());
        return new ModelRun(lent, asked).run();
      }
    } catch (InterruptedException | CancellationException e) {
      return stopped();
    } catch (TaskRefused e) {
      return new Failed(Failure.permanent(e.getMessage()));
    } catch (ModelLoadException e) {
      return library.isClosed()
          ? new Released("the models are closed")
          : TaskOutcome.failed(e.getMessage());
    }
  }

  /**
   * The model that the task names, else the model of an earlier attempt; null: the current default.
   */
  private @Nullable String modelName(GenerateParameters asked) {
    JsonObject frozen = task.claim().frozenTerms();
    return asked.model() == null
            && frozen != null
            && frozen.get("model") instanceof String before
            && library.serves(before)
        ? before
        : asked.model();
  }

  private TaskOutcome stopped() {
    return task.stopSignal().wasPaused() && !task.cancelled()
        ? new Released("paused")
        : TaskOutcome.failed("stopped before it began");
  }

  /** The part of the attempt that has a model. */
  private final class ModelRun {
    private final ModelLease<LoadedModel> lease;
    private final LoadedModel model;
    private final GenerateParameters asked;

    ModelRun(ModelLease<LoadedModel> lease, GenerateParameters asked) {
      this.lease = lease;
      this.model = lease.item();
      this.asked = asked;
    }

    TaskOutcome run() throws InterruptedException {
      return run(new TermsResolver(model, asked, task).resolve(), 0);
    }

    /**
     * @param revoked how often tokens of this attempt were revoked
     */
    private TaskOutcome run(TermsResolution terms, int revoked) throws InterruptedException {
      return switch (terms) {
        case Fresh(ResolvedTask resolved) ->
            follow(start(resolved).orElseThrow(), resolved, revoked);
        case Resumed(ResolvedTask resolved, Supplier<TermsResolution> otherwise) -> {
          Optional<StartedGeneration> started = start(resolved);
          yield started.isPresent()
              ? follow(started.get(), resolved, revoked)
              : run(otherwise.get(), revoked);
        }
        case Refused(String reason) -> new Failed(Failure.permanent(reason));
        case ClaimLost() -> TaskOutcome.failed("the claim is lost");
      };
    }

    private TaskOutcome follow(StartedGeneration started, ResolvedTask resolved, int revoked)
        throws InterruptedException {
      Generation generation = started.generation;
      task.onCancel(generation::cancel); // first: a task that must stop is not released
      task.onPause(generation::release);
      GenerationResult result = started.journaler.journalUntilEnd(generation);
      counters.countGenerated(result, resolved.prior().tokens().size());
      if (result.finish() == FinishReason.RELEASED && started.journaler.isFull()) {
        return continueAfter(started, result, resolved, revoked);
      }
      boolean over = result.finish() != FinishReason.REVOKED || revoked == MAX_RESTARTS;
      if (result.finish() == FinishReason.REVOKED) {
        logRevoked(result, over);
        // These tokens must never be resumed, not even if this was the last try.
        TermsResolution restart = TermsResolution.freeze(task, resolved);
        if (!over || restart instanceof ClaimLost) {
          return run(restart, revoked + 1);
        }
      }
      return new OutcomeMapper(resolved, task, started.recorder, lease, library.isClosed())
          .outcomeOf(result);
    }

    /**
     * The store failed for so long that the generation was released, and has all its tokens now. If
     * the task has to stop, the hooks say so to the next generation, which ends as this one would
     * have.
     */
    private TaskOutcome continueAfter(
        StartedGeneration paused, GenerationResult result, ResolvedTask resolved, int revoked)
        throws InterruptedException {
      List<Integer> tokens = Arrays.stream(result.tokens()).boxed().toList();
      ResolvedTask rest = resolved.withPrior(new OutputChunk(tokens, paused.recorder.pieces()));
      Optional<StartedGeneration> next = start(rest, rest.prior(), paused.recorder);
      return next.isPresent()
          ? follow(next.get(), rest, revoked)
          : run(TermsResolution.freeze(task, resolved), revoked);
    }

    private void logRevoked(GenerationResult result, boolean over) {
      String line =
          "%d tokens cannot be trusted (%s): discarded%s"
              .formatted(
                  result.tokens().length,
                  result.reason(),
                  over ? ", as in earlier tries" : "; restarting");
      task.log(line);
      LOG.log(Level.DEBUG, "task " + task.claim() + ": " + line); // the job's log has it, too
    }

    /** Starts the generation; empty if the engine refuses the prior tokens. */
    private Optional<StartedGeneration> start(ResolvedTask resolved) throws InterruptedException {
      OutputChunk prior = resolved.resumableOutput(model.weightless().capacity());
      return start(resolved, prior, new OutputRecorder(prior, model.weightless()::tokenBytes));
    }

    /**
     * @param prior the part of the prior output that is resumed
     * @param recorder which has it
     */
    private Optional<StartedGeneration> start(
        ResolvedTask resolved, OutputChunk prior, OutputRecorder recorder)
        throws InterruptedException {
      int all = resolved.prior().tokens().size();
      TokenJournaler journaler =
          new TokenJournaler(task, all - prior.tokens().size(), recorder, maxWaiting);
      try {
        model.noteOrder(task.claimOrder());
        GenerationRequest request =
            resolved
                .request(model.weightless(), task.claimOrder())
                .withInteractive(asked.interactive())
                .resumedFrom(ResolvedTask.ids(prior));
        task.promptProgress(0, resolved.prompt().tokens().length + prior.tokens().size());
        Generation generation = model.engine().submit(request, journaler);
        journaler.limit(generation);
        // Prepared, by the engine, too: until it begins, a crash is the fault of another task.
        task.journal(OutputChunk.WAITING);
        return Optional.of(new StartedGeneration(journaler, recorder, generation));
      } catch (EngineClosedException e) {
        lease.markBroken();
        throw new ModelLoadException("model \"%s\" no longer runs".formatted(model.name()), e);
      } catch (EngineException e) {
        if (prior.tokens().isEmpty()) {
          throw new TaskRefused(String.valueOf(e.getMessage()), e);
        }
        task.log(
            "%d tokens of an earlier attempt cannot be resumed (%s): discarded; restarting"
                .formatted(all, e.getMessage()));
        return Optional.empty();
      }
    }
  }

  private record StartedGeneration(
      TokenJournaler journaler, OutputRecorder recorder, Generation generation) {}
}

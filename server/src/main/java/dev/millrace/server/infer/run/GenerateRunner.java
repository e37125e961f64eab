package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
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
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.parameters.GenerateParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.LoadFailure;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelRequest;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task to generate: a model is borrowed, the terms are settled or found again, and
 * the wheel is followed to the end.
 */
public final class GenerateRunner {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** How often one attempt starts again because its tokens cannot be trusted. */
  private static final int REVOCATIONS = 3;

  private final ModelLibrary library;
  private final TokenCounters counters;
  private final TaskContext task;
  private final StopSignal stopSignal;

  public GenerateRunner(ModelLibrary library, TokenCounters counters, TaskContext task) {
    this.library = library;
    this.counters = counters;
    this.task = task;
    this.stopSignal = StopSignal.of(task);
  }

  public TaskOutcome run() {
    try {
      GenerateParameters asked = GenerateParameters.of(task.data(), task.input());
      String model = modelName(asked);
      ModelRequest<LoadedModel> ticket = library.requestGenerator(model);
      task.releaseSlotWhile(() -> !library.isReady(model));
      stopSignal.setActions(ticket::cancel, ticket::cancel);
      Optional<ModelLease<LoadedModel>> lease = ticket.await();
      if (lease.isEmpty()) {
        return stopped();
      }
      try (ModelLease<LoadedModel> lent = lease.get()) {
        return new ModelRun(lent, asked).run();
      }
    } catch (InterruptedException e) {
      return stopped();
    } catch (TaskRefused e) {
      return new Failed(Failure.permanent(e.getMessage()));
    } catch (LoadFailure e) {
      return library.isClosed()
          ? new Released("the models are closed")
          : TaskOutcome.failed(e.getMessage());
    }
  }

  /** The one it names, else the one an earlier attempt began with; null: today's default. */
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
    return stopSignal.paused() && !stopSignal.stopped()
        ? new Released("paused")
        : TaskOutcome.failed("stopped before it had begun");
  }

  /** The attempt with its model. */
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
      TermsResolver settling = new TermsResolver(model, asked, task);
      ResolvedTask settled = settling.resolve();
      for (int revoked = 0; settled != null; revoked++) {
        StartedGeneration started = start(settled);
        if (started == null) { // what was journaled is not of this request
          settled = settling.resolveFresh();
          started = settled == null ? null : start(settled);
        }
        if (settled == null || started == null) {
          break;
        }
        GenerationResult result = follow(started, settled);
        boolean over = result.finish() != FinishReason.REVOKED || revoked == REVOCATIONS;
        if (result.finish() == FinishReason.REVOKED) {
          logRevoked(result, over);
          settled = settling.restart(settled); // nobody goes on from these tokens, now or later
        }
        if (over && settled != null) {
          return new OutcomeMapper(settled, task, stopSignal, lease, library.isClosed())
              .outcomeOf(result);
        }
      }
      return TaskOutcome.failed("the claim is gone");
    }

    private GenerationResult follow(StartedGeneration started, ResolvedTask settled) {
      Generation generation = started.generation;
      stopSignal.setActions(generation::release, generation::cancel);
      GenerationResult result = started.journaler.journalUntilEnd(generation);
      counters.countGenerated(result, settled.priorTokens().length);
      return result;
    }

    private void logRevoked(GenerationResult result, boolean over) {
      String line =
          "%d tokens cannot be trusted (%s): they are discarded%s"
              .formatted(
                  result.tokens().length,
                  result.reason(),
                  over ? ", as were those before them" : " and it starts again");
      task.log(line);
      LOG.log(
          Level.DEBUG, "task " + task.claim() + ": " + line); // the job has it; nobody needs all
    }

    /** Null if the engine refuses the prior tokens. */
    private @Nullable StartedGeneration start(ResolvedTask settled) throws InterruptedException {
      int[] prior = settled.resumableTokens(model.capacity());
      TokenJournaler scribe = new TokenJournaler(task, settled.priorTokens().length - prior.length);
      try {
        GenerationRequest request = settled.request(model, task.claimOrder()).resumedFrom(prior);
        return new StartedGeneration(scribe, model.engine().submit(request, scribe));
      } catch (EngineClosedException e) {
        lease.markBroken();
        throw new LoadFailure("model \"%s\" does not run any more".formatted(model.name()), e);
      } catch (EngineException e) {
        if (prior.length == 0) {
          throw new TaskRefused(String.valueOf(e.getMessage()), e);
        }
        task.log(
            "%d tokens of an earlier attempt cannot be gone on from (%s): they are discarded and it starts again"
                .formatted(settled.priorTokens().length, e.getMessage()));
        return null;
      }
    }
  }

  private record StartedGeneration(TokenJournaler journaler, Generation generation) {}
}

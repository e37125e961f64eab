package dev.millrace.server.infer.run;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.store.Subscription;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Done;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;
import dev.millrace.server.TaskPhase;
import dev.millrace.server.infer.model.LoadedEmbedder;
import dev.millrace.server.infer.model.LoadedEmbedder.EmbeddingVector;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.parameters.EmbedParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import dev.millrace.server.infer.shelf.ModelRequest;
import java.util.Optional;

/** One attempt at an embed task. It freezes no terms: it has no random choices and no journal. */
public final class EmbedRunner {
  private final ModelLibrary library;
  private final TokenCounters counters;
  private final TaskContext task;

  public EmbedRunner(ModelLibrary library, TokenCounters counters, TaskContext task) {
    this.library = library;
    this.counters = counters;
    this.task = task;
  }

  public TaskOutcome run() {
    try {
      EmbedParameters asked = EmbedParameters.of(task.data(), task.input());
      ModelRequest<LoadedEmbedder> request = library.requestEmbedder(asked.model());
      task.phase(TaskPhase.STARTING, asked.model());
      long start = System.nanoTime();
      Optional<ModelLease<LoadedEmbedder>> lease;
      try (Subscription _ = task.stopSignal().onAny(request::cancel)) {
        lease = request.await();
      }
      if (lease.isEmpty()) {
        return stopped();
      }
      try (ModelLease<LoadedEmbedder> lent = lease.get()) {
        task.phase(TaskPhase.RUNNING, lent.item().name());
        return embed(lent.item(), asked, System.nanoTime() - start);
      }
    } catch (InterruptedException e) {
      return stopped();
    } catch (TaskRefused e) {
      return new Failed(Failure.permanent(e.getMessage()));
    } catch (ModelLoadException | EngineException e) {
      return library.isClosed() ? new Released("the models are closed") : TaskOutcome.thrown(e);
    }
  }

  private TaskOutcome embed(LoadedEmbedder model, EmbedParameters asked, long waited)
      throws InterruptedException {
    long start = System.nanoTime();
    Optional<EmbeddingVector> computed = model.embed(asked, task.stopSignal()::onAny);
    if (computed.isEmpty()) {
      return stopped();
    }
    EmbeddingVector vector = computed.get();
    counters.countEmbedded(vector.tokens());
    JsonObject timings =
        JsonObject.create()
            .put("wait_ms", ReceiptJson.millis(waited))
            .put("prefill_ms", ReceiptJson.millis(System.nanoTime() - start));
    JsonObject receipt =
        JsonObject.create()
            .put("model", model.name())
            .put("model_sha256", model.sha256())
            .put(FrozenTerms.NUMERICS, model.numerics().newest().toJson())
            .put("prompt_tokens", (long) vector.tokens())
            .put("dimensions", (long) vector.dimensions())
            .put("pooling", EmbedParameters.poolingName(vector.pooling()))
            .put("normalize", asked.normalize())
            .put("timings", timings.values());
    return new Done(new TaskResult(TaskResult.Kind.EMBEDDING, vector.text(), receipt));
  }

  private TaskOutcome stopped() {
    return task.stopSignal().wasPaused() && !task.cancelled()
        ? new Released("paused")
        : TaskOutcome.failed("stopped before it began");
  }
}

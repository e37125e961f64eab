package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.core.task.TaskResult;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.Numerics;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Done;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;
import dev.millrace.server.infer.LoadedEmbeddings.Vector;
import java.util.Optional;

/** One attempt at a task to embed. It settles no terms: nothing of it is drawn or gone on with. */
final class EmbedRunner {
  private final Library library;
  private final Figures figures;
  private final TaskContext task;
  private final Brake brake;

  EmbedRunner(Library library, Figures figures, TaskContext task) {
    this.library = library;
    this.figures = figures;
    this.task = task;
    this.brake = Brake.of(task);
  }

  TaskOutcome run() {
    try {
      EmbedParameters asked = EmbedParameters.of(task.data(), task.input());
      Ticket<LoadedEmbeddings> ticket = library.embedder(asked.model());
      long start = System.nanoTime();
      brake.set(ticket::withdraw, ticket::withdraw);
      Optional<Lease<LoadedEmbeddings>> lease = ticket.await();
      if (lease.isEmpty()) {
        return stopped();
      }
      try (Lease<LoadedEmbeddings> lent = lease.get()) {
        return embed(lent.item(), asked, System.nanoTime() - start);
      }
    } catch (InterruptedException e) {
      return stopped();
    } catch (Refusal e) {
      return new Failed(Failure.permanent(e.getMessage()));
    } catch (LoadFailure | EngineException e) {
      return library.isClosed() ? new Released("the models are closed") : TaskOutcome.thrown(e);
    }
  }

  private TaskOutcome embed(LoadedEmbeddings model, EmbedParameters asked, long waited)
      throws InterruptedException {
    long start = System.nanoTime();
    Optional<Vector> computed = model.embed(asked, brake);
    if (computed.isEmpty()) {
      return stopped();
    }
    Vector vector = computed.get();
    figures.embeddedTokens.add(vector.tokens());
    JsonObject timings =
        JsonObject.create()
            .put("wait_ms", Receipts.millis(waited))
            .put("prefill_ms", Receipts.millis(System.nanoTime() - start));
    JsonObject receipt =
        JsonObject.create()
            .put("model", model.name())
            .put("model_sha256", model.sha256())
            .put("numerics", (long) Numerics.VERSION)
            .put("prompt_tokens", (long) vector.tokens())
            .put("dimensions", (long) vector.dimensions())
            .put("pooling", EmbedParameters.name(vector.pooling()))
            .put("normalize", asked.normalize())
            .put("timings", timings.values());
    return new Done(new TaskResult(TaskResult.Kind.EMBEDDING, vector.text(), receipt));
  }

  private TaskOutcome stopped() {
    return brake.paused() && !brake.stopped()
        ? new Released("paused")
        : TaskOutcome.failed("stopped before it had begun");
  }
}

package dev.millrace.server.infer;

import dev.millrace.core.json.JsonObject;
import dev.millrace.core.task.Failure;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.wheel.Finish;
import dev.millrace.engine.wheel.Generation;
import dev.millrace.engine.wheel.Request;
import dev.millrace.engine.wheel.Result;
import dev.millrace.engine.wheel.WheelClosed;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.TaskOutcome.Failed;
import dev.millrace.server.TaskOutcome.Released;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at a task to generate: a model is borrowed, the terms are settled or found again, and
 * the wheel is followed to the end.
 */
final class Runner {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");

  /** How often one attempt starts again because its tokens cannot be trusted. */
  private static final int REVOCATIONS = 3;

  private final Library library;
  private final Figures figures;
  private final TaskContext task;
  private final Brake brake;

  Runner(Library library, Figures figures, TaskContext task) {
    this.library = library;
    this.figures = figures;
    this.task = task;
    this.brake = Brake.of(task);
  }

  TaskOutcome run() {
    try {
      Parameters asked = Parameters.of(task.data(), task.input());
      String model = model(asked);
      Ticket<LoadedModel> ticket = library.generator(model);
      task.waitsWhile(() -> !library.isReady(model));
      brake.set(ticket::withdraw, ticket::withdraw);
      Optional<Lease<LoadedModel>> lease = ticket.await();
      if (lease.isEmpty()) {
        return stopped();
      }
      try (Lease<LoadedModel> lent = lease.get()) {
        return new Attempting(lent, asked).run();
      }
    } catch (InterruptedException e) {
      return stopped();
    } catch (Refusal e) {
      return new Failed(Failure.permanent(e.getMessage()));
    } catch (LoadFailure e) {
      return library.isClosed()
          ? new Released("the models are closed")
          : TaskOutcome.failed(e.getMessage());
    }
  }

  /** The one it names, else the one an earlier attempt began with; null: today's default. */
  private @Nullable String model(Parameters asked) {
    JsonObject frozen = task.claim().frozen();
    return asked.model() == null
            && frozen != null
            && frozen.get("model") instanceof String before
            && library.serves(before)
        ? before
        : asked.model();
  }

  private TaskOutcome stopped() {
    return brake.paused() && !brake.stopped()
        ? new Released("paused")
        : TaskOutcome.failed("stopped before it had begun");
  }

  /** The attempt with its model. */
  private final class Attempting {
    private final Lease<LoadedModel> lease;
    private final LoadedModel model;
    private final Parameters asked;

    Attempting(Lease<LoadedModel> lease, Parameters asked) {
      this.lease = lease;
      this.model = lease.item();
      this.asked = asked;
    }

    TaskOutcome run() throws InterruptedException {
      Settling settling = new Settling(model, asked, task);
      Settled settled = settling.settle();
      for (int revoked = 0; settled != null; revoked++) {
        Started started = start(settled);
        if (started == null) { // what was journaled is not of this request
          settled = settling.afresh();
          started = settled == null ? null : start(settled);
        }
        if (settled == null || started == null) {
          break;
        }
        Result result = follow(started, settled);
        boolean over = result.finish() != Finish.REVOKED || revoked == REVOCATIONS;
        if (result.finish() == Finish.REVOKED) {
          tellOfRevoked(result, over);
          settled = settling.anew(settled); // nobody goes on from these tokens, now or later
        }
        if (over && settled != null) {
          return new Ending(settled, task, brake, lease, library.isClosed()).of(result);
        }
      }
      return TaskOutcome.failed("the claim is gone");
    }

    private Result follow(Started started, Settled settled) {
      Generation generation = started.generation;
      brake.set(generation::release, generation::cancel);
      Result result = started.scribe.follow(generation);
      figures.count(result, settled.prior().length);
      return result;
    }

    private void tellOfRevoked(Result result, boolean over) {
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
    private @Nullable Started start(Settled settled) throws InterruptedException {
      int[] prior = settled.usablePrior(model.capacity());
      Scribe scribe = new Scribe(task, settled.prior().length - prior.length);
      try {
        Request request = settled.request(model, task.order()).resumedFrom(prior);
        return new Started(scribe, model.engine().submit(request, scribe));
      } catch (WheelClosed e) {
        lease.discard();
        throw new LoadFailure("model \"%s\" does not run any more".formatted(model.name()), e);
      } catch (EngineException e) {
        if (prior.length == 0) {
          throw new Refusal(String.valueOf(e.getMessage()), e);
        }
        task.log(
            "%d tokens of an earlier attempt cannot be gone on from (%s): they are discarded and it starts again"
                .formatted(settled.prior().length, e.getMessage()));
        return null;
      }
    }
  }

  private record Started(Scribe scribe, Generation generation) {}
}

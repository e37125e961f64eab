package dev.millrace.server.infer;

import dev.millrace.engine.error.EngineException;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.InferenceStats.TokenTotals;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.EmbedRunner;
import dev.millrace.server.infer.run.GenerateRunner;
import dev.millrace.server.infer.run.TokenCounters;
import dev.millrace.server.infer.shelf.LoadFailure;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Models at work for a server: workers for tasks of type {@code generate} and {@code embed}.
 *
 * <p>Output is journaled as it is generated, text of a model's thoughts included; a result has the
 * answer alone. All methods may be called from any thread. Close it after the server that has its
 * workers: it ends what still runs.
 */
public final class Inference implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration TICK = Duration.ofSeconds(1);
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final InferenceSettings settings;
  private final ModelLibrary library;
  private final TokenCounters counters = new TokenCounters();
  private final CountDownLatch closed = new CountDownLatch(1);

  private Inference(InferenceSettings settings, ModelLibrary library) {
    this.settings = settings;
    this.library = library;
  }

  /**
   * Looks at all files, and loads the first model, and all whose layers are with others: what is
   * here of them. For these others it waits only until their network takes it in, and beside other
   * models no longer than some seconds.
   *
   * @throws EngineException when a model cannot be run here; the message says why
   */
  public static Inference open(InferenceSettings settings) {
    return open(settings, System::nanoTime);
  }

  /**
   * @param clock nanoseconds
   */
  static Inference open(InferenceSettings settings, LongSupplier clock) {
    return open(settings, clock, PATIENCE);
  }

  /**
   * @param patience with others' networks, where other models can work meanwhile
   */
  static Inference open(InferenceSettings settings, LongSupplier clock, Duration patience) {
    ModelLibrary library =
        new ModelLibrary(
            settings.models(), settings.engine(), settings.defaults(), settings.shelf(), clock);
    Inference inference = new Inference(settings, library);
    try {
      library.warmUp(patience);
      Thread.ofPlatform().daemon().name("millrace-idle").start(inference::watch);
      return inference;
    } catch (TaskRefused | LoadFailure e) {
      inference.close();
      throw new EngineException(e.getMessage(), e);
    } catch (InterruptedException e) {
      inference.close();
      Thread.currentThread().interrupt();
      throw new EngineException("interrupted while a model was loaded", e);
    }
  }

  private void watch() {
    try {
      while (!closed.await(TICK.toNanos(), TimeUnit.NANOSECONDS)) {
        library.maintain();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "interrupted by a stranger: idle models stay from now on");
    }
  }

  /** The workers to give to a server; they need not be closed. */
  public List<Worker> workers() {
    Worker generating = new GenerateWorker(library, counters);
    return settings.canEmbed()
        ? List.of(generating, new EmbedWorker(library, counters))
        : List.of(generating);
  }

  /** How many tasks to claim at once: those that the wheel holds, and some to follow them. */
  public int slots() {
    int slots = settings.engine().slots();
    return slots + Math.max(2, slots / 4);
  }

  public InferenceStats stats() {
    return new InferenceStats(
        new TokenTotals(
            counters.promptTokens(),
            counters.cachedTokens(),
            counters.generatedTokens(),
            counters.embeddedTokens()),
        library.servedNames(),
        library.loadedNames(),
        library.loadedModels().stream().map(LoadedModel::stats).toList(),
        library.remoteModels());
  }

  /** Repeats a task under the terms of its first attempt, and compares. */
  public VerifyResult verify(VerifyRequest request) {
    try {
      return new TaskVerifier(library).verify(request);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new VerifyResult(false, "interrupted before it could be told");
    }
  }

  ModelLibrary library() {
    return library;
  }

  /** Ends what runs, which is released, and frees all models. */
  @Override
  public void close() {
    closed.countDown();
    library.close();
  }

  /** Tasks that embed, on threads that may compute. */
  private record EmbedWorker(ModelLibrary library, TokenCounters counters) implements Worker {
    @Override
    public String type() {
      return "embed";
    }

    @Override
    public TaskOutcome work(TaskContext task) {
      return new EmbedRunner(library, counters, task).run();
    }

    @Override
    public Threading threading() {
      return Threading.PLATFORM;
    }

    @Override
    public boolean resumable() {
      return true; // nothing is lost by waiting for another server
    }
  }

  /**
   * Tasks that generate, on threads that may compute: a long prompt's tokens or a schema's
   * automaton would hold up virtual threads, on which other tasks write down what they have.
   */
  private record GenerateWorker(ModelLibrary library, TokenCounters counters) implements Worker {
    @Override
    public String type() {
      return "generate";
    }

    @Override
    public TaskOutcome work(TaskContext task) {
      return new GenerateRunner(library, counters, task).run();
    }

    @Override
    public boolean ready() {
      return library.canGenerate();
    }

    @Override
    public void onReady(Runnable hook) {
      library.onReady(hook);
    }

    @Override
    public Threading threading() {
      return Threading.PLATFORM;
    }

    @Override
    public boolean resumable() {
      return true;
    }
  }
}

package dev.millrace.server.infer;

import dev.millrace.core.internal.thread.MonitoredThreads;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.thread.EngineThreads;
import dev.millrace.server.TaskContext;
import dev.millrace.server.TaskOutcome;
import dev.millrace.server.Worker;
import dev.millrace.server.infer.InferenceStats.TokenTotals;
import dev.millrace.server.infer.direct.DirectInference;
import dev.millrace.server.infer.model.LoadedModel;
import dev.millrace.server.infer.model.ModelDetails;
import dev.millrace.server.infer.model.ModelLibrary;
import dev.millrace.server.infer.model.NodeNetwork;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.EmbedRunner;
import dev.millrace.server.infer.run.GenerateRunner;
import dev.millrace.server.infer.run.TokenCounters;
import dev.millrace.server.infer.shelf.ModelLease;
import dev.millrace.server.infer.shelf.ModelLoadException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Runs language models for a server: its workers process tasks of type {@code generate} and {@code
 * embed}.
 *
 * <p>Output is journaled as it is generated, including a model's thoughts; the result contains only
 * the answer. All methods may be called from any thread. Close it after the server that has its
 * workers: closing ends running tasks.
 */
public final class Inference implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration TICK = Duration.ofMillis(250);
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
   * Reads the headers of all model files, loads the first model, and opens all models with layers
   * at other nodes. It waits until their networks accept this server; if it also serves local
   * models, at most a few seconds.
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
   * @param patience how long to wait for a network if other models can run meanwhile
   */
  static Inference open(InferenceSettings settings, LongSupplier clock, Duration patience) {
    EngineThreads.onServiceDeath(MonitoredThreads::serviceDied);
    ModelLibrary library =
        new ModelLibrary(
            settings.models(), settings.engine(), settings.defaults(), settings.shelf(), clock);
    Inference inference = new Inference(settings, library);
    try {
      library.loadDefault(patience);
      MonitoredThreads.service("millrace-idle").start(inference::maintainPeriodically);
      return inference;
    } catch (TaskRefused | ModelLoadException e) {
      inference.close();
      throw new EngineException(e.getMessage(), e);
    } catch (InterruptedException e) {
      inference.close();
      Thread.currentThread().interrupt();
      throw new EngineException("interrupted while loading a model", e);
    }
  }

  /**
   * Checks by the headers of the files that each model fits into the memory. Loads nothing.
   *
   * @throws EngineException if one can never fit, or cannot be read; the message says why
   */
  public static void requireRoom(InferenceSettings settings) {
    try {
      ModelLibrary.checkRoom(settings.models(), settings.engine(), settings.shelf().memory());
    } catch (TaskRefused e) {
      throw new EngineException(e.getMessage(), e);
    }
  }

  private void maintain() throws InterruptedException {
    try {
      library.maintain();
    } catch (RuntimeException | Error e) { // the thread must go on
      LOG.log(Level.WARNING, "idle models could not be unloaded; trying again", e);
    }
  }

  private void maintainPeriodically() {
    try {
      while (!closed.await(TICK.toNanos(), TimeUnit.NANOSECONDS)) {
        maintain();
      }
    } catch (InterruptedException e) {
      LOG.log(Level.WARNING, "unexpected interrupt: idle models are no longer unloaded");
    }
  }

  /**
   * Warms up the generators that are loaded, so that the first task is as fast as later ones, and
   * waits for that. It leaves no trace in caches, counters and results, and gives way to tasks at
   * once: call it after the server has started. A model with layers at other nodes is left as it
   * is.
   *
   * @param most the longest time that it may take
   * @param mustStop whether to end it now
   */
  public void warmUp(Duration most, BooleanSupplier mustStop) throws InterruptedException {
    // a task for another model may need the memory of this one
    BooleanSupplier over = () -> mustStop.getAsBoolean() || library.shelf().hasWaiting();
    try {
      for (LoadedModel model : library.loadedModels()) {
        Optional<ModelLease<LoadedModel>> lease = library.requestGenerator(model.name()).await();
        if (lease.isPresent()) {
          try (ModelLease<LoadedModel> lent = lease.get()) {
            lent.item().warmUp(most, over);
          }
        }
      }
    } catch (TaskRefused | ModelLoadException e) {
      LOG.log(Level.DEBUG, "no warm-up", e); // tasks will say why
    }
  }

  /** The workers for a server; they need not be closed. */
  public List<Worker> workers() {
    Worker generate = new GenerateWorker(library, counters);
    return settings.canEmbed()
        ? List.of(generate, new EmbedWorker(library, counters))
        : List.of(generate);
  }

  /** Inference without jobs, on the same models. */
  public DirectInference direct() {
    return new DirectInference(library, counters);
  }

  /** How many tasks to claim at once: as many as the batch holds, and a few more that follow. */
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

  /** The models that tasks can name, or will be able to, the default first. */
  public List<ModelDetails> models() {
    return library.details();
  }

  /** The networks of nodes that models with layers at other nodes have joined. */
  public List<NodeNetwork> networks() {
    return library.networks();
  }

  /** Repeats a finished task under its frozen terms, and compares the results. */
  public VerifyResult verify(VerifyRequest request) {
    try {
      return new TaskVerifier(library).verify(request);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return VerifyResult.notRepeated("interrupted before the comparison was finished");
    }
  }

  ModelLibrary library() {
    return library;
  }

  /** Stops and releases running tasks, and unloads all models. */
  @Override
  public void close() {
    closed.countDown();
    library.close();
  }

  /** Processes tasks that embed. */
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
      return true; // it loses nothing if another server repeats it
    }
  }

  /**
   * Processes tasks that generate. On platform threads: tokenizing a long prompt or compiling a
   * schema would block the virtual threads of other tasks.
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

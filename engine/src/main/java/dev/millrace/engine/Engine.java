package dev.millrace.engine;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationLoop;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.ModelInfo;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.ConstraintCompiler;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.LocalModel;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.TextAssembler;
import dev.millrace.engine.internal.wheel.WheelSettings;
import dev.millrace.engine.token.Tokenizer;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A model at work: its tokenizer, and wheels that turn on a thread of their own. Requests may come
 * from any thread. That thread alone computes with the model, and frees it when the wheels have
 * ended: nobody can reach memory that is gone.
 */
public final class Engine implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.engine");

  private final Parts parts;
  private final Thread owner;
  private @Nullable ConstraintCompiler compiler;

  /**
   * What an engine is made of.
   *
   * @param context the positions that a sequence may have
   * @param weightBytes what the weights take that are here
   * @param kvBytesPerToken what the keys and values of one position take, over the layers that are
   *     here
   * @param resources what the wheels compute with; closed by their thread, when they have ended
   */
  public record Parts(
      Tokenizer tokenizer,
      PromptEncoder prompts,
      GgufMetadata metadata,
      ModelInfo model,
      int context,
      long weightBytes,
      long kvBytesPerToken,
      GenerationLoop loop,
      AutoCloseable resources) {}

  private Engine(Parts parts) {
    this.parts = parts;
    owner = Thread.ofPlatform().daemon().name("millrace-wheel").unstarted(this::turn);
  }

  /** An engine of these parts, which are its own from now on; starts the wheels. */
  public static Engine of(Parts parts) {
    Engine engine = new Engine(parts);
    engine.owner.start();
    return engine;
  }

  /**
   * Loads a model that generates and starts its wheel.
   *
   * @throws EngineException when the file cannot be run here; the message says why
   */
  public static Engine open(Path file, EngineSettings settings) {
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.ofGenerator(gguf);
      LoadSettings load = LoadSettings.of(settings, config);
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      PromptEncoder prompts = new PromptEncoder(gguf.metadata(), tokenizer);
      LocalModel model = LocalModel.open(gguf, load);
      try {
        WheelSettings wheel = WheelSettings.of(settings, load.pages(), load.context());
        return of(parts(tokenizer, prompts, model, wheel));
      } catch (Throwable e) {
        model.close();
        throw e;
      }
    }
  }

  private static Parts parts(
      Tokenizer tokenizer, PromptEncoder prompts, LocalModel model, WheelSettings turning) {
    PipeProcessor processor = PipeProcessor.local(List.of(model.segment()), model.end());
    BatchLoop wheels =
        new BatchLoop(
            turning,
            List.of(processor),
            tokenizer,
            () -> TextAssembler.of(tokenizer.decoder()),
            System::nanoTime,
            null);
    return new Parts(
        tokenizer,
        prompts,
        model.metadata(),
        model.config().info(),
        model.context(),
        model.weightBytes(),
        model.kvBytesPerToken(),
        wheels,
        model);
  }

  private void turn() {
    try {
      parts.loop.run();
    } finally {
      try {
        parts.resources.close();
      } catch (Exception e) {
        LOG.log(Level.WARNING, "what a model computed with did not close", e);
      }
    }
  }

  public Tokenizer tokenizer() {
    return parts.tokenizer;
  }

  /** Turns texts and conversations into tokens. */
  public PromptEncoder prompts() {
    return parts.prompts;
  }

  /** What the file says about the model. */
  public ModelInfo model() {
    return parts.model;
  }

  /** The positions that a sequence may have. */
  public int context() {
    return parts.context;
  }

  /** What the weights take that are here. */
  public long weightBytes() {
    return parts.weightBytes;
  }

  /** What the keys and values of one position take, over the layers that are here. */
  public long kvBytesPerToken() {
    return parts.kvBytesPerToken;
  }

  /** The file's metadata. */
  public GgufMetadata metadata() {
    return parts.metadata;
  }

  /**
   * What keeps requests to a grammar. Many may share one; making it takes a while, so keep it.
   */
  public Constraint constraint(Grammar grammar) {
    return compiler().compile(grammar);
  }

  private synchronized ConstraintCompiler compiler() {
    if (compiler == null) {
      compiler = new ConstraintCompiler(parts.tokenizer);
    }
    return compiler;
  }

  /** Takes a request into the line: see {@link GenerationLoop#submit}. */
  public Generation submit(GenerationRequest request, GenerationListener listener) {
    return parts.loop.submit(request, Objects.requireNonNull(listener, "listener"));
  }

  public WheelStats stats() {
    return parts.loop.stats();
  }

  /**
   * Ends the wheels, which releases what is under way, and frees the model; returns when that is
   * done. From a listener, which is called by that thread itself, it returns at once. Closing twice
   * is no harm.
   */
  @Override
  public void close() {
    parts.loop.close();
    if (Thread.currentThread() == owner) {
      return;
    }
    boolean interrupted = false;
    while (true) {
      try {
        owner.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}

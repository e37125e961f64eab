package dev.millrace.engine;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationListener;
import dev.millrace.engine.api.GenerationLoop;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.ModelInfo;
import dev.millrace.engine.api.WarmUp;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.gguf.GgufMetadata;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.ConstraintCompiler;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.LocalModel;
import dev.millrace.engine.internal.pipe.PipeProcessor;
import dev.millrace.engine.internal.thread.EngineThreads;
import dev.millrace.engine.internal.wheel.BatchLoop;
import dev.millrace.engine.internal.wheel.Detokenizer;
import dev.millrace.engine.internal.wheel.WheelSettings;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.NumericsVersion;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.engine.token.Tokenizer;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A loaded model that generates text: its tokenizer, its weights, and the scheduler that batches
 * requests. Any thread may submit requests. One thread of the engine computes with the model and
 * frees it after the scheduler has ended, so that no freed memory is ever read.
 */
public final class Engine implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("dev.millrace.engine");

  private final Parts parts;
  private final Thread owner;
  private @Nullable ConstraintCompiler compiler;

  /**
   * What an engine is made of.
   *
   * @param numerics the versions of the arithmetic that it can compute this model with
   * @param context the positions that a sequence may have
   * @param weightBytes the memory of the weights in this process
   * @param kvBytesPerToken the memory of the keys and values of one position, over the layers in
   *     this process
   * @param loop the scheduler; it runs on the engine's thread
   * @param resources what the scheduler computes with; the engine's thread closes it after the
   *     scheduler has ended
   */
  public record Parts(
      Tokenizer tokenizer,
      PromptEncoder prompts,
      GgufMetadata metadata,
      ModelInfo model,
      ModelNumerics numerics,
      int context,
      long weightBytes,
      long kvBytesPerToken,
      GenerationLoop loop,
      AutoCloseable resources) {}

  private Engine(Parts parts) {
    this.parts = parts;
    owner = EngineThreads.service("millrace-wheel").unstarted(this::run);
  }

  /** Makes an engine of these parts, which it owns from now on, and starts the scheduler. */
  public static Engine of(Parts parts) {
    Engine engine = new Engine(parts);
    engine.owner.start();
    return engine;
  }

  /**
   * Loads a model that generates text and starts its scheduler.
   *
   * @throws EngineException if the file cannot be run here; the message says why
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
        ModelNumerics numerics =
            new ModelNumerics(SupportedNumerics.CURRENT, WeightFormats.of(gguf));
        return of(parts(tokenizer, prompts, model, numerics, wheel));
      } catch (Throwable e) {
        model.close();
        throw e;
      }
    }
  }

  private static Parts parts(
      Tokenizer tokenizer,
      PromptEncoder prompts,
      LocalModel model,
      ModelNumerics numerics,
      WheelSettings settings) {
    BatchLoop loop = loop(tokenizer, model, settings);
    loop.warmUpWith(() -> loop(tokenizer, model, settings.withPrefixReuse(false)));
    return new Parts(
        tokenizer,
        prompts,
        model.metadata(),
        model.config().info(),
        numerics,
        model.context(),
        model.weightBytes(),
        model.kvBytesPerToken(),
        loop,
        model);
  }

  private static BatchLoop loop(Tokenizer tokenizer, LocalModel model, WheelSettings settings) {
    return new BatchLoop(
        settings,
        List.of(PipeProcessor.local(List.of(model.segment()), model.end())),
        tokenizer,
        shown -> Detokenizer.of(tokenizer, shown),
        System::nanoTime,
        null);
  }

  private void run() {
    try {
      parts.loop.run();
    } finally {
      try {
        parts.resources.close();
      } catch (Exception e) {
        LOG.log(Level.WARNING, "the resources of a model did not close", e);
      }
    }
  }

  public Tokenizer tokenizer() {
    return parts.tokenizer;
  }

  /** Encodes texts and conversations as tokens. */
  public PromptEncoder prompts() {
    return parts.prompts;
  }

  /** What the file says about the model. */
  public ModelInfo model() {
    return parts.model;
  }

  /** The versions of the arithmetic for this model. */
  public ModelNumerics numerics() {
    return parts.numerics;
  }

  /** The positions that a sequence may have. */
  public int context() {
    return parts.context;
  }

  /** The memory of the weights in this process. */
  public long weightBytes() {
    return parts.weightBytes;
  }

  /** The memory of the keys and values of one position, over the layers in this process. */
  public long kvBytesPerToken() {
    return parts.kvBytesPerToken;
  }

  /** The file's metadata. */
  public GgufMetadata metadata() {
    return parts.metadata;
  }

  /**
   * Compiles a grammar for this model's vocabulary. Compiling takes a while: keep the constraint,
   * and share it between requests.
   */
  public Constraint constraint(Grammar grammar) {
    return constraint(grammar, Set.of());
  }

  /**
   * Compiles a grammar whose texts may hold these control tokens, by their texts such as {@code
   * <|python_tag|>}. A request with this constraint must show them, too.
   */
  public Constraint constraint(Grammar grammar, Set<Integer> shownTokens) {
    return compiler().compile(grammar, shownTokens);
  }

  private synchronized ConstraintCompiler compiler() {
    if (compiler == null) {
      compiler = new ConstraintCompiler(parts.tokenizer);
    }
    return compiler;
  }

  /**
   * Queues a request: see {@link GenerationLoop#submit}.
   *
   * @throws EngineException if it asks for a version of the arithmetic that is not here
   */
  public Generation submit(GenerationRequest request, GenerationListener listener) {
    NumericsVersion wanted = request.numerics();
    if (wanted != null) {
      requireNumerics(wanted);
    }
    return parts.loop.submit(request, Objects.requireNonNull(listener, "listener"));
  }

  private void requireNumerics(NumericsVersion wanted) {
    parts
        .numerics
        .missing(wanted)
        .ifPresent(
            missing -> {
              throw new EngineException(
                  "request: version %d of %s is not in this release, which has %s"
                      .formatted(missing.wanted(), missing.what(), missing.supported()));
            });
  }

  /** Begins to warm up: see {@link GenerationLoop#warmUp}. */
  public WarmUp warmUp(Duration most) {
    return parts.loop.warmUp(most);
  }

  public WheelStats stats() {
    return parts.loop.stats();
  }

  /**
   * Ends the scheduler, which releases all running generations, and frees the model; returns when
   * that is done. A listener, which runs on the engine's own thread, gets control back at once.
   * Closing twice does no harm.
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

package dev.millrace.engine;

import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.gguf.Metadata;
import dev.millrace.engine.grammar.Constraint;
import dev.millrace.engine.grammar.Grammar;
import dev.millrace.engine.grammar.VocabularyTrie;
import dev.millrace.engine.model.Model;
import dev.millrace.engine.model.ModelConfig;
import dev.millrace.engine.pipe.Pages;
import dev.millrace.engine.pipe.PipeProcessor;
import dev.millrace.engine.token.Tokenizer;
import dev.millrace.engine.wheel.Generation;
import dev.millrace.engine.wheel.Listener;
import dev.millrace.engine.wheel.Request;
import dev.millrace.engine.wheel.Speller;
import dev.millrace.engine.wheel.Wheel;
import dev.millrace.engine.wheel.WheelSettings;
import dev.millrace.engine.wheel.WheelStats;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A model at work: its tokenizer, and a wheel that turns on a thread of its own. Requests may come
 * from any thread. That thread alone computes with the model, and frees it when the wheel has
 * ended: nobody can reach memory that is gone.
 */
public final class Engine implements AutoCloseable {
  private final Tokenizer tokenizer;
  private final Prompts prompts;
  private final Model model;
  private final Wheel wheel;
  private final Thread owner;
  private @Nullable VocabularyTrie trie;

  private Engine(Tokenizer tokenizer, Prompts prompts, Model model, WheelSettings settings) {
    this.tokenizer = tokenizer;
    this.prompts = prompts;
    this.model = model;
    PipeProcessor processor = PipeProcessor.local(List.of(model.segment()), model.end());
    wheel =
        new Wheel(
            settings,
            processor,
            tokenizer,
            () -> Speller.of(tokenizer.decoder()),
            System::nanoTime);
    owner = Thread.ofPlatform().daemon().name("millrace-wheel").unstarted(this::turn);
  }

  /**
   * Loads a model that generates and starts its wheel.
   *
   * @throws EngineException when the file cannot be run here; the message says why
   */
  public static Engine open(Path file, EngineSettings settings) {
    try (Gguf gguf = Gguf.open(file)) {
      ModelConfig config = ModelConfig.of(gguf);
      if (config.architecture().isEncoder()) {
        throw new EngineException(
            "%s: a model of architecture %s gives embeddings and generates no text"
                .formatted(file, gguf.metadata().string("general.architecture")));
      }
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      Prompts prompts = new Prompts(gguf.metadata(), tokenizer);
      int context = settings.context() == 0 ? config.contextLength() : settings.context();
      int tokens =
          settings.tokens() == 0 ? Math.max(context, 2048 * settings.slots()) : settings.tokens();
      int pages = Pages.holding(tokens);
      WheelSettings turning =
          WheelSettings.of(pages, context)
              .withSequences(settings.slots())
              .withPrefixReuse(settings.prefixReuse());
      Model model = Model.open(gguf, settings.loading().withContext(context).withPages(pages));
      return start(tokenizer, prompts, model, turning);
    }
  }

  private static Engine start(
      Tokenizer tokenizer, Prompts prompts, Model model, WheelSettings settings) {
    try {
      Engine engine = new Engine(tokenizer, prompts, model, settings);
      engine.owner.start();
      return engine;
    } catch (Throwable e) {
      model.close();
      throw e;
    }
  }

  private void turn() {
    try {
      wheel.run();
    } finally {
      model.close();
    }
  }

  public Tokenizer tokenizer() {
    return tokenizer;
  }

  /** Turns texts and conversations into tokens. */
  public Prompts prompts() {
    return prompts;
  }

  /** What the file says the model is. */
  public ModelConfig config() {
    return model.config();
  }

  /** The positions that a sequence may have. */
  public int context() {
    return model.context();
  }

  /** What the weights take. */
  public long weightBytes() {
    return model.weightBytes();
  }

  /** What the keys and values of one position take, over all layers. */
  public long kvBytesPerToken() {
    return model.kvBytesPerToken();
  }

  /** The file's metadata. */
  public Metadata metadata() {
    return model.metadata();
  }

  /**
   * What keeps requests to a grammar. Many may share one; making it takes a while, so keep it.
   */
  public Constraint constraint(Grammar grammar) {
    return Constraint.compile(grammar, trie());
  }

  private synchronized VocabularyTrie trie() {
    if (trie == null) {
      trie = new VocabularyTrie(tokenizer);
    }
    return trie;
  }

  /** Takes a request into the line: see {@link Wheel#submit}. */
  public Generation submit(Request request, Listener listener) {
    return wheel.submit(request, Objects.requireNonNull(listener, "listener"));
  }

  public WheelStats stats() {
    return wheel.stats();
  }

  /**
   * Ends the wheel, which releases what is under way, and frees the model; returns when that is
   * done. From a listener, which is called by the wheel itself, it returns at once. Closing twice
   * is no harm.
   */
  @Override
  public void close() {
    wheel.close();
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

package dev.millrace.server.infer.model;

import dev.millrace.engine.Engine;
import dev.millrace.engine.PromptEncoder;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.server.infer.InferenceStats;
import dev.millrace.server.infer.model.ModelFileHasher.Hashed;
import dev.millrace.server.infer.parameters.SamplingParameters;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;

/** A model that generates, at work. */
public final class LoadedModel implements ShelfItem {
  private final ModelDescription card;
  private final Engine engine;
  private final String sha256;
  private final PromptEncoder prompts;
  private final SamplingParameters defaults;
  private final ConstraintCache constraints;

  private LoadedModel(ModelDescription card, Hashed<Engine> hashed, SamplingParameters users) {
    this.card = card;
    this.engine = hashed.made();
    this.sha256 = hashed.sha256();
    this.prompts =
        users.chatTemplate() == null
            ? engine.prompts()
            : new PromptEncoder(users.chatTemplate(), engine.tokenizer());
    this.defaults =
        users
            .orElse(SamplingParameters.fromMetadata(engine.metadata()))
            .orElse(SamplingParameters.forModelFamily(card.name()))
            .orElse(SamplingParameters.builtIn());
    this.constraints = new ConstraintCache(engine::constraint);
  }

  /**
   * @param users what whoever runs the server wants tasks to get
   */
  static ShelfItemLoader<LoadedModel> source(
      ModelDescription card, SamplingParameters users, ModelFileHasher hashes) {
    return new ShelfItemLoader<>() {
      @Override
      public String name() {
        return card.name();
      }

      @Override
      public long bytes() {
        return card.generateBytes();
      }

      @Override
      public boolean mayBlock() {
        return card.remoteOpener() != null;
      }

      @Override
      public LoadedModel load() {
        Hashed<Engine> hashed = open(card, hashes);
        try {
          return new LoadedModel(card, hashed, users);
        } catch (RuntimeException e) {
          close(card, hashed.made());
          throw e;
        }
      }
    };
  }

  private static Hashed<Engine> open(ModelDescription card, ModelFileHasher hashes) {
    RemoteModelOpener opening = card.remoteOpener();
    return opening == null
        ? hashes.hashWhile(card.files(), () -> Engine.open(card.file(), card.settings()))
        : new Hashed<>(opening.open(card.settings()), opening.sha256());
  }

  private static void close(ModelDescription card, Engine engine) {
    engine.close();
    if (card.remoteOpener() != null) {
      card.remoteOpener().close();
    }
  }

  public String name() {
    return card.name();
  }

  public Engine engine() {
    return engine;
  }

  public String sha256() {
    return sha256;
  }

  public PromptEncoder prompts() {
    return prompts;
  }

  /** What a task gets that does not say; all but the seed is set. */
  public SamplingParameters defaults() {
    return defaults;
  }

  public ConstraintCache constraints() {
    return constraints;
  }

  /** Positions that one sequence may have. */
  public int capacity() {
    return card.capacity();
  }

  /** How keys and values are kept. */
  public String kvType() {
    return card.settings().kvType().name();
  }

  public InferenceStats.ModelStats stats() {
    WheelStats stats = engine.stats();
    return new InferenceStats.ModelStats(
        card.name(),
        card.settings().slots(),
        stats.admitted(),
        stats.waiting(),
        stats.turns(),
        stats.prefillTokens() + stats.decodeTokens(),
        stats.preemptions(),
        stats.pagesUsed(),
        stats.pagesCached(),
        stats.pagesFree());
  }

  @Override
  public long bytes() {
    return card.remoteOpener() == null
        ? engine.weightBytes() + card.generateBytes() - card.weightBytes()
        : card.generateBytes();
  }

  @Override
  public void close() {
    close(card, engine);
  }
}

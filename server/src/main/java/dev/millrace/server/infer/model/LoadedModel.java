package dev.millrace.server.infer.model;

import dev.millrace.engine.Engine;
import dev.millrace.engine.PromptEncoder;
import dev.millrace.server.infer.model.ModelFileHasher.Hashed;
import dev.millrace.server.infer.parameters.SamplingParameters;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;

/** A loaded model that generates text. */
public final class LoadedModel implements ShelfItem {
  private final ModelDescription description;
  private final Engine engine;
  private final String sha256;
  private final PromptEncoder prompts;
  private final SamplingParameters defaults;
  private final ConstraintCache constraints;

  private LoadedModel(
      ModelDescription description, Hashed<Engine> hashed, OperatorDefaults operatorDefaults) {
    this.description = description;
    this.engine = hashed.loaded();
    this.sha256 = hashed.sha256();
    this.prompts =
        operatorDefaults.chatTemplate() == null
            ? engine.prompts()
            : new PromptEncoder(operatorDefaults.chatTemplate(), engine.tokenizer());
    this.defaults =
        operatorDefaults
            .sampling()
            .orElse(SamplingParameters.fromMetadata(engine.metadata()))
            .orElse(SamplingParameters.forModelFamily(description.name()))
            .orElse(SamplingParameters.builtIn());
    this.constraints = new ConstraintCache(engine::constraint);
  }

  /**
   * @param operatorDefaults the settings of the operator for all models
   */
  static ShelfItemLoader<LoadedModel> source(
      ModelDescription description, OperatorDefaults operatorDefaults, ModelFileHasher hasher) {
    return new ShelfItemLoader<>() {
      @Override
      public String name() {
        return description.name();
      }

      @Override
      public long bytes() {
        return description.generateBytes();
      }

      @Override
      public boolean mayBlock() {
        return description.remoteOpener() != null;
      }

      @Override
      public LoadedModel load() {
        Hashed<Engine> hashed = open(description, hasher);
        try {
          return new LoadedModel(description, hashed, operatorDefaults);
        } catch (RuntimeException e) {
          close(description, hashed.loaded());
          throw e;
        }
      }
    };
  }

  private static Hashed<Engine> open(ModelDescription description, ModelFileHasher hasher) {
    RemoteModelOpener opener = description.remoteOpener();
    return opener == null
        ? hasher.hashWhile(
            description.files(), () -> Engine.open(description.file(), description.settings()))
        : new Hashed<>(opener.open(description.settings()), opener.sha256());
  }

  private static void close(ModelDescription description, Engine engine) {
    engine.close();
    if (description.remoteOpener() != null) {
      description.remoteOpener().close();
    }
  }

  public String name() {
    return description.name();
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

  /** The parameters of tasks that do not set them; only the seed may be null. */
  public SamplingParameters defaults() {
    return defaults;
  }

  public ConstraintCache constraints() {
    return constraints;
  }

  /** The most positions of one sequence. */
  public int capacity() {
    return description.capacity();
  }

  /** The number type of the KV cache. */
  public String kvType() {
    return description.settings().kvType().name();
  }

  public ModelStats stats() {
    return new ModelStats(description.name(), description.settings().slots(), engine.stats());
  }

  @Override
  public long bytes() {
    return description.remoteOpener() == null
        ? engine.weightBytes() + description.generateBytes() - description.weightBytes()
        : description.generateBytes();
  }

  @Override
  public void close() {
    close(description, engine);
  }
}

package dev.millrace.server.infer.model;

import dev.millrace.engine.Engine;
import dev.millrace.engine.api.WarmUp;
import dev.millrace.engine.api.WheelStats;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.model.ModelFileHasher.Hashed;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/** A loaded model that generates text. */
public final class LoadedModel implements ShelfItem {
  private static final System.Logger LOG = System.getLogger("dev.millrace.server");
  private static final Duration ROUND = Duration.ofMillis(20);
  private static final int PRACTICE = 200;

  /** So many tokens of tasks warm a model up as well as made-up ones. */
  private static final int WARM_TOKENS = 1_000;

  private final ModelDescription description;
  private final Engine engine;
  private final String sha256;
  private final WeightlessModel weightless;
  private final AtomicLong latestOrder = new AtomicLong();

  private LoadedModel(
      ModelDescription description, Hashed<Engine> hashed, OperatorDefaults operatorDefaults) {
    this.description = description;
    this.engine = hashed.loaded();
    this.sha256 = hashed.sha256();
    this.weightless =
        new WeightlessModel(
            description,
            engine.metadata(),
            engine.tokenizer(),
            engine.numerics(),
            operatorDefaults);
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

  /** What it takes to make prompts, and to check them. */
  public WeightlessModel weightless() {
    return weightless;
  }

  /** Notes the place of a task of the queue. */
  public void noteOrder(long order) {
    latestOrder.accumulateAndGet(order, Math::max);
  }

  /** The place behind all tasks of the queue that came so far. */
  public long orderAfterQueue() {
    return latestOrder.get();
  }

  /**
   * Waits until it is warmed up, or must stop: see {@link Engine#warmUp}. Tasks that end the
   * made-up work early warm the model up themselves, with enough tokens.
   */
  public void warmUp(Duration most, BooleanSupplier mustStop) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    WarmUp warmUp = engine.warmUp(most);
    encodeForPractice(mustStop);
    while (!warmUp.await(ROUND)) {
      if (mustStop.getAsBoolean()) {
        warmUp.cancel();
      }
    }
    while (warmUp.gaveWay()
        && !hasComputedEnough()
        && !mustStop.getAsBoolean()
        && System.nanoTime() - end < 0) {
      Thread.sleep(ROUND);
    }
  }

  private boolean hasComputedEnough() {
    WheelStats stats = engine.stats();
    return stats.prefillTokens() + stats.decodeTokens() >= WARM_TOKENS;
  }

  /** Tokenizer and template need to be warm as well. */
  private void encodeForPractice(BooleanSupplier mustStop) {
    try {
      for (int i = 0; i < PRACTICE && !mustStop.getAsBoolean(); i++) {
        List<Map<String, String>> messages =
            List.of(Map.of("role", "user", "content", "Practice makes perfect, number " + i + "."));
        weightless.prompts().chat(messages, null, Map.of("enable_thinking", true), Instant.EPOCH);
      }
    } catch (EngineException e) {
      LOG.log(Level.DEBUG, "no practice with prompts", e); // a task will say why
    }
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

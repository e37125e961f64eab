package dev.millrace.server.infer;

import dev.millrace.engine.Engine;
import dev.millrace.engine.Prompts;
import dev.millrace.engine.wheel.WheelStats;
import dev.millrace.server.infer.FileHashes.Hashed;

/** A model that generates, at work. */
final class LoadedModel implements Shelved {
  private final ModelCard card;
  private final Engine engine;
  private final String sha256;
  private final Prompts prompts;
  private final Defaults defaults;
  private final Constraints constraints;

  private LoadedModel(ModelCard card, Hashed<Engine> hashed, Defaults users) {
    this.card = card;
    this.engine = hashed.made();
    this.sha256 = hashed.sha256();
    this.prompts =
        users.chatTemplate() == null
            ? engine.prompts()
            : new Prompts(users.chatTemplate(), engine.tokenizer());
    this.defaults =
        users
            .orElse(Defaults.of(engine.metadata()))
            .orElse(Defaults.ofFamily(card.name()))
            .orElse(Defaults.usual());
    this.constraints = new Constraints(engine::constraint);
  }

  /**
   * @param users what whoever runs the server wants tasks to get
   */
  static Source<LoadedModel> source(ModelCard card, Defaults users, FileHashes hashes) {
    return new Source<>() {
      @Override
      public String name() {
        return card.name();
      }

      @Override
      public long bytes() {
        return card.generateBytes();
      }

      @Override
      public boolean waits() {
        return card.opening() != null;
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

  private static Hashed<Engine> open(ModelCard card, FileHashes hashes) {
    Opening opening = card.opening();
    return opening == null
        ? hashes.during(card.files(), () -> Engine.open(card.file(), card.settings()))
        : new Hashed<>(opening.open(card.settings()), opening.sha256());
  }

  private static void close(ModelCard card, Engine engine) {
    engine.close();
    if (card.opening() != null) {
      card.opening().close();
    }
  }

  String name() {
    return card.name();
  }

  Engine engine() {
    return engine;
  }

  String sha256() {
    return sha256;
  }

  Prompts prompts() {
    return prompts;
  }

  /** What a task gets that does not say; all but the seed is set. */
  Defaults defaults() {
    return defaults;
  }

  Constraints constraints() {
    return constraints;
  }

  /** Positions that one sequence may have. */
  int capacity() {
    return card.capacity();
  }

  /** How keys and values are kept. */
  String kv() {
    return card.settings().kvType().name();
  }

  InferenceStats.Wheel stats() {
    WheelStats stats = engine.stats();
    return new InferenceStats.Wheel(
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
    return card.opening() == null
        ? engine.weightBytes() + card.generateBytes() - card.weights()
        : card.generateBytes();
  }

  @Override
  public void close() {
    close(card, engine);
  }
}

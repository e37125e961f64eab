package dev.millrace.server.infer;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.Embeddings;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.model.Pooling;
import dev.millrace.server.infer.EmbedLine.Wish;
import dev.millrace.server.infer.FileHashes.Hashed;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A model that turns texts into vectors, at work. */
final class LoadedEmbeddings implements Shelved {
  private final ModelCard card;
  private final Embeddings embeddings;
  private final String sha256;
  private final EmbedLine line;

  private LoadedEmbeddings(ModelCard card, Hashed<Embeddings> hashed) {
    this.card = card;
    this.embeddings = hashed.made();
    this.sha256 = hashed.sha256();
    this.line = new EmbedLine(embeddings::embed);
  }

  static Source<LoadedEmbeddings> source(ModelCard card, FileHashes hashes) {
    return new Source<>() {
      @Override
      public String name() {
        return card.name();
      }

      @Override
      public long bytes() {
        return card.embedBytes();
      }

      @Override
      public LoadedEmbeddings load() {
        return new LoadedEmbeddings(
            card, hashes.during(card.files(), () -> Embeddings.open(card.file(), card.settings())));
      }
    };
  }

  /**
   * A vector as it is published.
   *
   * @param text in nrvna's form
   */
  record Vector(String text, int tokens, int dimensions, Pooling pooling) {}

  /**
   * Computes a vector; empty if the brake was pulled while it waited.
   *
   * @throws Refusal if the text cannot have a vector
   * @throws EngineException if it has none this time
   */
  Optional<Vector> embed(EmbedParameters asked, Brake brake) throws InterruptedException {
    Pooling pooling = asked.pooling() == null ? embeddings.usualPooling() : asked.pooling();
    int[] tokens = tokens(asked.text());
    Wish wish = line.ask(tokens, pooling, asked.normalize());
    brake.set(wish::withdraw, wish::withdraw);
    return wish.await()
        .map(vector -> new Vector(written(vector), tokens.length, vector.length, pooling));
  }

  private int[] tokens(String text) {
    int[] tokens;
    try {
      tokens = embeddings.tokenizer().encode(text, true, true);
    } catch (EngineException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
    if (tokens.length == 0 || tokens.length > embeddings.maxTokens()) {
      throw new Refusal(
          "a text of %d tokens cannot be embedded: model \"%s\" takes 1 to %d"
              .formatted(tokens.length, card.name(), embeddings.maxTokens()));
    }
    return tokens;
  }

  private String written(float[] vector) {
    List<Object> numbers = new ArrayList<>(vector.length);
    for (float number : vector) {
      if (!Float.isFinite(number)) {
        throw new Refusal(
            "model \"%s\" gives an embedding with %s in it, which is no number to publish"
                .formatted(card.name(), number));
      }
      numbers.add(number);
    }
    return Json.pretty(
        JsonObject.create().put("dim", (long) vector.length).put("vector", numbers).values());
  }

  String name() {
    return card.name();
  }

  String sha256() {
    return sha256;
  }

  @Override
  public long bytes() {
    return card.embedBytes();
  }

  @Override
  public void close() {
    embeddings.close();
  }
}

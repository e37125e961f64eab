package dev.millrace.server.infer.model;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.Embeddings;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.server.infer.model.EmbedBatcher.EmbedRequest;
import dev.millrace.server.infer.model.ModelFileHasher.Hashed;
import dev.millrace.server.infer.parameters.EmbedParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.run.StopSignal;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A model that turns texts into vectors, at work. */
public final class LoadedEmbedder implements ShelfItem {
  private final ModelDescription card;
  private final Embeddings embeddings;
  private final String sha256;
  private final EmbedBatcher line;

  private LoadedEmbedder(ModelDescription card, Hashed<Embeddings> hashed) {
    this.card = card;
    this.embeddings = hashed.made();
    this.sha256 = hashed.sha256();
    this.line = new EmbedBatcher(embeddings::embed);
  }

  static ShelfItemLoader<LoadedEmbedder> source(ModelDescription card, ModelFileHasher hashes) {
    return new ShelfItemLoader<>() {
      @Override
      public String name() {
        return card.name();
      }

      @Override
      public long bytes() {
        return card.embedBytes();
      }

      @Override
      public LoadedEmbedder load() {
        return new LoadedEmbedder(
            card,
            hashes.hashWhile(card.files(), () -> Embeddings.open(card.file(), card.settings())));
      }
    };
  }

  /**
   * A vector as it is published.
   *
   * @param text in nrvna's form
   */
  public record EmbeddingVector(String text, int tokens, int dimensions, Pooling pooling) {}

  /**
   * Computes a vector; empty if the brake was pulled while it waited.
   *
   * @throws TaskRefused if the text cannot have a vector
   * @throws EngineException if it has none this time
   */
  public Optional<EmbeddingVector> embed(EmbedParameters asked, StopSignal brake)
      throws InterruptedException {
    Pooling pooling = asked.pooling() == null ? embeddings.usualPooling() : asked.pooling();
    int[] tokens = tokens(asked.text());
    EmbedRequest wish = line.submit(tokens, pooling, asked.normalize());
    brake.setActions(wish::cancel, wish::cancel);
    return wish.await()
        .map(vector -> new EmbeddingVector(written(vector), tokens.length, vector.length, pooling));
  }

  private int[] tokens(String text) {
    int[] tokens;
    try {
      tokens = embeddings.tokenizer().encode(text, true, true);
    } catch (EngineException e) {
      throw new TaskRefused(String.valueOf(e.getMessage()), e);
    }
    if (tokens.length == 0 || tokens.length > embeddings.maxTokens()) {
      throw new TaskRefused(
          "a text of %d tokens cannot be embedded: model \"%s\" takes 1 to %d"
              .formatted(tokens.length, card.name(), embeddings.maxTokens()));
    }
    return tokens;
  }

  private String written(float[] vector) {
    List<Object> numbers = new ArrayList<>(vector.length);
    for (float number : vector) {
      if (!Float.isFinite(number)) {
        throw new TaskRefused(
            "model \"%s\" gives an embedding with %s in it, which is no number to publish"
                .formatted(card.name(), number));
      }
      numbers.add(number);
    }
    return Json.pretty(
        JsonObject.create().put("dim", (long) vector.length).put("vector", numbers).values());
  }

  public String name() {
    return card.name();
  }

  public String sha256() {
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

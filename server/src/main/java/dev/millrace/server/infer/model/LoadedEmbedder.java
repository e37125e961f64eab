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
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A loaded model that turns texts into vectors. */
public final class LoadedEmbedder implements ShelfItem {
  private final ModelDescription description;
  private final Embeddings embeddings;
  private final String sha256;
  private final EmbedBatcher batcher;

  private LoadedEmbedder(ModelDescription description, Hashed<Embeddings> hashed) {
    this.description = description;
    this.embeddings = hashed.loaded();
    this.sha256 = hashed.sha256();
    this.batcher = new EmbedBatcher(embeddings::embed);
  }

  static ShelfItemLoader<LoadedEmbedder> source(
      ModelDescription description, ModelFileHasher hasher) {
    return new ShelfItemLoader<>() {
      @Override
      public String name() {
        return description.name();
      }

      @Override
      public long bytes() {
        return description.embedBytes();
      }

      @Override
      public LoadedEmbedder load() {
        return new LoadedEmbedder(
            description,
            hasher.hashWhile(
                description.files(),
                () -> Embeddings.open(description.file(), description.settings())));
      }
    };
  }

  /**
   * A vector in the form of a task's result.
   *
   * @param text the JSON that nrvna writes
   */
  public record EmbeddingVector(String text, int tokens, int dimensions, Pooling pooling) {}

  /**
   * Computes a vector; empty if it was cancelled while it waited.
   *
   * @param onStart gets the action that cancels it; that does nothing once it is being computed
   * @throws TaskRefused if the text cannot have a vector
   * @throws EngineException if this attempt failed
   */
  public Optional<EmbeddingVector> embed(EmbedParameters asked, Consumer<Runnable> onStart)
      throws InterruptedException {
    Pooling pooling = asked.pooling() == null ? embeddings.usualPooling() : asked.pooling();
    int[] tokens = tokens(asked.text());
    EmbedRequest request = batcher.submit(tokens, pooling, asked.normalize());
    onStart.accept(request::cancel);
    return request
        .await()
        .map(vector -> new EmbeddingVector(toJson(vector), tokens.length, vector.length, pooling));
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
              .formatted(tokens.length, description.name(), embeddings.maxTokens()));
    }
    return tokens;
  }

  private String toJson(float[] vector) {
    List<Object> numbers = new ArrayList<>(vector.length);
    for (float number : vector) {
      if (!Float.isFinite(number)) {
        throw new TaskRefused(
            "model \"%s\" returned an embedding that contains %s; only finite numbers can be published"
                .formatted(description.name(), number));
      }
      numbers.add(number);
    }
    return Json.pretty(
        JsonObject.create().put("dim", (long) vector.length).put("vector", numbers).values());
  }

  public String name() {
    return description.name();
  }

  public String sha256() {
    return sha256;
  }

  @Override
  public long bytes() {
    return description.embedBytes();
  }

  @Override
  public void close() {
    embeddings.close();
  }
}

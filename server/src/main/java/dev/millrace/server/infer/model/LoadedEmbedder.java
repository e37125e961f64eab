package dev.millrace.server.infer.model;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.Embeddings;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.server.infer.model.EmbedBatcher.QueuedText;
import dev.millrace.server.infer.model.ModelFileHasher.Hashed;
import dev.millrace.server.infer.parameters.EmbedParameters;
import dev.millrace.server.infer.parameters.TaskRefused;
import dev.millrace.server.infer.parameters.TaskRefused.Reason;
import dev.millrace.server.infer.shelf.ShelfItem;
import dev.millrace.server.infer.shelf.ShelfItemLoader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

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
    QueuedText request = batcher.submit(tokens, pooling, asked.normalize());
    onStart.accept(request::cancel);
    return request
        .await()
        .map(vector -> new EmbeddingVector(toJson(vector), tokens.length, vector.length, pooling));
  }

  /**
   * Computes vectors of length 1 in one batch, as far as other requests leave room for it.
   *
   * @param texts their tokens, as {@link #tokens} and {@link #checked} return them
   * @param dimensions how many of the first numbers to keep; null: all
   * @throws EngineException if this attempt failed
   */
  public List<float[]> embedAll(List<int[]> texts, @Nullable Integer dimensions)
      throws InterruptedException {
    if (dimensions != null && (dimensions < 1 || dimensions > embeddings.width())) {
      throw TaskRefused.ofParameter(
          "dimensions",
          "parameter \"dimensions\" is %d; vectors of model \"%s\" can have 1 to %d"
              .formatted(dimensions, description.name(), embeddings.width()));
    }
    List<QueuedText> queued = new ArrayList<>();
    texts.forEach(tokens -> queued.add(batcher.submit(tokens, embeddings.usualPooling(), true)));
    try {
      List<float[]> vectors = new ArrayList<>();
      for (QueuedText text : queued) {
        float[] vector = requireFinite(text.await().orElseThrow());
        vectors.add(dimensions == null ? vector : shortened(vector, dimensions));
      }
      return vectors;
    } finally {
      queued.forEach(QueuedText::cancel); // those that an error has left behind
    }
  }

  /** The first numbers of a vector, divided by their length. */
  private static float[] shortened(float[] vector, int dimensions) {
    float[] first = Arrays.copyOf(vector, dimensions);
    double squares = 0;
    for (float number : first) {
      squares += (double) number * number;
    }
    double length = Math.sqrt(squares);
    for (int i = 0; i < dimensions && length > 0; i++) {
      first[i] = (float) (first[i] / length);
    }
    return first;
  }

  /**
   * The tokens of a text.
   *
   * @throws TaskRefused if it cannot have a vector
   */
  public int[] tokens(String text) {
    try {
      return checkedLength(embeddings.tokenizer().encode(text, true, true));
    } catch (EngineException e) {
      throw new TaskRefused(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * The same tokens, if they can have a vector.
   *
   * @throws TaskRefused if not
   */
  public int[] checked(int[] tokens) {
    int size = embeddings.tokenizer().size();
    for (int token : tokens) {
      if (token < 0 || token >= size) {
        throw TaskRefused.ofParameter(
            "input",
            "parameter \"input\" has token %d; model \"%s\" has tokens 0 to %d"
                .formatted(token, description.name(), size - 1));
      }
    }
    return checkedLength(tokens);
  }

  private int[] checkedLength(int[] tokens) {
    int most = embeddings.maxTokens();
    if (tokens.length == 0 || tokens.length > most) {
      throw new TaskRefused(
          tokens.length == 0 ? Reason.PARAMETER : Reason.CONTEXT_LENGTH,
          "input",
          "a text of %d tokens cannot be embedded: model \"%s\" takes 1 to %d; its maximum context length is %d tokens"
              .formatted(tokens.length, description.name(), most, most),
          null);
    }
    return tokens;
  }

  private float[] requireFinite(float[] vector) {
    for (float number : vector) {
      if (!Float.isFinite(number)) {
        throw new TaskRefused(
            "model \"%s\" returned an embedding that contains %s; only finite numbers can be published"
                .formatted(description.name(), number));
      }
    }
    return vector;
  }

  private String toJson(float[] vector) {
    List<Object> numbers = new ArrayList<>(vector.length);
    for (float number : requireFinite(vector)) {
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

  /** The version of the arithmetic. */
  public ModelNumerics numerics() {
    return embeddings.numerics();
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

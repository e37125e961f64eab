package dev.millrace.server.infer;

import dev.millrace.core.json.Json;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.Embeddings;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.model.Pooling;
import dev.millrace.server.infer.FileHashes.Hashed;
import java.util.ArrayList;
import java.util.List;

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
    this.line = new EmbedLine(embeddings);
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
   * @throws Refusal if the text cannot have a vector
   */
  Vector embed(EmbedParameters asked) throws InterruptedException {
    Pooling pooling = asked.pooling() == null ? embeddings.usualPooling() : asked.pooling();
    try {
      int[] tokens = embeddings.tokenizer().encode(asked.text(), true, true);
      float[] vector = line.embed(tokens, pooling, asked.normalize());
      return new Vector(written(vector), tokens.length, vector.length, pooling);
    } catch (EngineException e) {
      throw new Refusal(String.valueOf(e.getMessage()), e);
    }
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

package dev.millrace.engine;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.WeightFormats;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.Embedder;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.LocalModel;
import dev.millrace.engine.numerics.ModelNumerics;
import dev.millrace.engine.numerics.SupportedNumerics;
import dev.millrace.engine.token.Tokenizer;
import java.nio.file.Path;

/**
 * A model that turns texts into vectors: an encoder, or a generating model read at its final norm.
 * Any thread may ask; one text or batch of texts is computed at a time.
 */
public final class Embeddings implements AutoCloseable {
  private final Tokenizer tokenizer;
  private final LocalModel model;
  private final ModelNumerics numerics;
  private final Embedder embedder;
  private boolean closed;

  private Embeddings(Tokenizer tokenizer, LocalModel model, ModelNumerics numerics) {
    this.tokenizer = tokenizer;
    this.model = model;
    this.numerics = numerics.newestOnly();
    this.embedder = model.embedder();
  }

  /**
   * Loads a model.
   *
   * @throws EngineException when the file cannot be run here; the message says why
   */
  public static Embeddings open(Path file, EngineSettings settings) {
    try (Gguf gguf = Gguf.open(file)) {
      Tokenizer tokenizer = Tokenizer.of(gguf.metadata());
      return new Embeddings(
          tokenizer,
          LocalModel.open(gguf, LoadSettings.of(settings)),
          new ModelNumerics(SupportedNumerics.CURRENT, WeightFormats.of(gguf)));
    }
  }

  public Tokenizer tokenizer() {
    return tokenizer;
  }

  /** The version of the arithmetic: vectors are only computed under the newest. */
  public ModelNumerics numerics() {
    return numerics;
  }

  /** How the model's own file pools; else the mean for an encoder, and the last row otherwise. */
  public Pooling usualPooling() {
    return embedder.usualPooling();
  }

  /** How many numbers a vector has. */
  public int width() {
    return model.config().width();
  }

  /** How many tokens a text may have. */
  public int maxTokens() {
    return embedder.maxTokens();
  }

  /**
   * The vectors of several texts, each the same as if it were alone.
   *
   * @param normalise whether to divide each by its length
   */
  public synchronized float[][] embed(int[][] texts, Pooling pooling, boolean normalise) {
    if (closed) {
      throw new EngineException("the model is closed, it gives no more embeddings");
    }
    return embedder.embed(texts, pooling, normalise);
  }

  /** Frees the model, after what is under way. */
  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      model.close();
    }
  }
}

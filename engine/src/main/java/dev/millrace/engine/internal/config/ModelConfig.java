package dev.millrace.engine.internal.config;

import dev.millrace.engine.api.ModelInfo;
import dev.millrace.engine.api.Pooling;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.Gguf;
import java.util.Optional;

/**
 * The configuration of a model, as its file describes it. Made only by {@link #of}, which compares
 * it with every tensor of the file.
 *
 * @param name the model's name in the file, or the file's
 * @param width of a hidden state
 * @param contextLength the positions that the model was trained on
 * @param normEpsilon keeps norms away from a division by zero
 * @param logitSoftcap bounds logits as {@code cap * tanh(logit / cap)}; 0: none
 * @param pooling of embeddings, if the file names one
 */
public record ModelConfig(
    Architecture architecture,
    String name,
    int layers,
    int width,
    int vocabulary,
    int contextLength,
    float normEpsilon,
    float logitSoftcap,
    Optional<Pooling> pooling,
    AttentionConfig attention,
    RopeConfig rope,
    FeedForwardConfig feedForward) {

  /**
   * Reads the file's metadata and compares it with its tensors.
   *
   * @throws EngineException if the architecture, a feature or a tensor's type is not supported, a
   *     key or tensor is missing, or a shape is not the expected one; the message names it
   */
  public static ModelConfig of(Gguf gguf) {
    ModelConfig config = new ConfigReader(gguf).read();
    new ExpectedTensors(config, gguf).check();
    return config;
  }

  /**
   * As {@link #of}, for a model that generates text.
   *
   * @throws EngineException also if the model gives embeddings only
   */
  public static ModelConfig ofGenerator(Gguf gguf) {
    ModelConfig config = of(gguf);
    if (config.architecture().isEncoder()) {
      throw new EngineException(
          "%s: a model of architecture %s gives embeddings and generates no text"
              .formatted(gguf.file(), gguf.metadata().string("general.architecture")));
    }
    return config;
  }

  /** The part that users of an engine see. */
  public ModelInfo info() {
    return new ModelInfo(name, architecture.key(), layers, width, vocabulary, contextLength);
  }

  public boolean has(ArchitectureTrait trait) {
    return architecture.has(trait);
  }
}

package dev.millrace.cli.model;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import java.util.Locale;

/**
 * Whether a model fits into the memory of this machine: its file, and keys and values.
 *
 * @param serveBytes what a server takes by default: 16 sequences of up to 8,192 positions
 * @param leastBytes the same for one sequence
 */
public record ModelFit(Answer answer, long serveBytes, long leastBytes) {
  private static final int CONTEXT = 8_192;
  private static final int SLOTS = 16;

  /** How well it fits. */
  public enum Answer {
    /** A server takes it with its defaults: half of the memory, and that is available. */
    YES,
    /** Only with options that save or allow memory, or when other programs take less. */
    TIGHT,
    /** Not even one sequence of the default context. */
    NO;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * @param fileBytes of all files of the model
   * @throws dev.millrace.engine.error.EngineException if the engine does not know such a model
   */
  static ModelFit of(Gguf model, long fileBytes, MachineMemory memory) {
    ModelConfig config = ModelConfig.of(model);
    long serve = fileBytes + cacheBytes(config, SLOTS);
    long least = fileBytes + cacheBytes(config, 1);
    return new ModelFit(answer(serve, least, memory), serve, least);
  }

  static Answer answer(long serve, long least, MachineMemory memory) {
    if (least > memory.total()) {
      return Answer.NO;
    }
    return serve <= Math.min(memory.total() / 2, memory.available()) ? Answer.YES : Answer.TIGHT;
  }

  private static long cacheBytes(ModelConfig config, int slots) {
    EngineSettings settings =
        EngineSettings.usual()
            .withSlots(slots)
            .withContext(Math.min(CONTEXT, config.contextLength()));
    LoadSettings loading =
        config.architecture().isEncoder()
            ? LoadSettings.of(settings)
            : LoadSettings.of(settings, config);
    return SegmentWeights.cacheBytes(config, config.layers(), loading);
  }
}

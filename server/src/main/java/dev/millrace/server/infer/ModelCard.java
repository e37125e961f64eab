package dev.millrace.server.infer;

import dev.millrace.engine.Engine;
import dev.millrace.engine.EngineException;
import dev.millrace.engine.EngineSettings;
import dev.millrace.engine.cache.KvStore;
import dev.millrace.engine.cache.KvType;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.model.AttentionConfig;
import dev.millrace.engine.model.ModelConfig;
import dev.millrace.engine.pipe.Pages;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a model's file says before it is loaded.
 *
 * @param files its parts
 * @param weights bytes of all of them, which is about what the weights take
 * @param settings for this model: no longer a context than it was trained on
 * @param generateBytes what it takes to generate
 * @param opening how it is brought to work; null: the whole file is loaded here
 */
record ModelCard(
    String name,
    List<Path> files,
    ModelConfig config,
    long weights,
    EngineSettings settings,
    long generateBytes,
    @Nullable Opening opening) {

  /**
   * @throws EngineException when the file cannot be run here; the message says why
   */
  static ModelCard read(ModelFile model, EngineSettings wanted) {
    try (Gguf gguf = Gguf.open(model.file())) {
      ModelConfig config = model.opening() == null ? ModelConfig.of(gguf) : Engine.generating(gguf);
      long bytes = 0;
      for (Path file : gguf.files()) {
        bytes += Files.size(file);
      }
      int context = wanted.context() == 0 ? config.contextLength() : wanted.context();
      EngineSettings settings = wanted.withContext(Math.min(context, config.contextLength()));
      Opening opening = model.opening();
      long generateBytes =
          opening == null
              ? bytes + cacheBytes(config, settings.turning(config).pages(), settings.kvType())
              : opening.bytes(gguf, settings);
      return new ModelCard(
          model.name(), List.copyOf(gguf.files()), config, bytes, settings, generateBytes, opening);
    } catch (IOException e) {
      throw new EngineException(model.file() + ": " + e, e);
    }
  }

  Path file() {
    return files.getFirst();
  }

  /** Whether it gives vectors and no text. */
  boolean isEncoder() {
    return config.architecture().isEncoder();
  }

  /** Positions that one sequence may have. */
  int capacity() {
    return settings.turning(config).capacity();
  }

  /** Whether it could generate now, once it is loaded. */
  boolean isReady() {
    return opening == null || opening.ready();
  }

  /** What it takes to embed, where one text is computed at a time. */
  long embedBytes() {
    KvType type = isEncoder() ? KvType.F32 : settings.kvType();
    return weights + cacheBytes(config, Pages.holding(settings.context()), type);
  }

  private static long cacheBytes(ModelConfig config, int pages, KvType type) {
    AttentionConfig attention = config.attention();
    KvStore.Shape shape =
        new KvStore.Shape(
            config.layers(),
            pages,
            attention.kvHeads(),
            attention.keyLength(),
            attention.valueLength(),
            type);
    return pages * shape.bytesPerPage();
  }
}

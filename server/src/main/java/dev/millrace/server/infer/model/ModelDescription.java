package dev.millrace.server.infer.model;

import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.cache.KvCache;
import dev.millrace.engine.internal.config.AttentionConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.pipe.KvPages;
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
record ModelDescription(
    String name,
    List<Path> files,
    ModelConfig config,
    long weightBytes,
    EngineSettings settings,
    long generateBytes,
    @Nullable RemoteModelOpener remoteOpener) {

  /**
   * @throws EngineException when the file cannot be run here; the message says why
   */
  static ModelDescription read(ModelFile model, EngineSettings wanted) {
    try (Gguf gguf = Gguf.open(model.file())) {
      ModelConfig config =
          model.remoteOpener() == null ? ModelConfig.of(gguf) : Engine.generating(gguf);
      long bytes = 0;
      for (Path file : gguf.files()) {
        bytes += Files.size(file);
      }
      int context = wanted.context() == 0 ? config.contextLength() : wanted.context();
      EngineSettings settings = wanted.withContext(Math.min(context, config.contextLength()));
      RemoteModelOpener opening = model.remoteOpener();
      long generateBytes =
          opening == null
              ? bytes
                  + cacheBytes(config, settings.wheelSettings(config).pages(), settings.kvType())
              : opening.bytes(gguf, settings);
      return new ModelDescription(
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
    return settings.wheelSettings(config).capacity();
  }

  /** Whether it could generate now, once it is loaded. */
  boolean isReady() {
    return remoteOpener == null || remoteOpener.ready();
  }

  /** What it takes to embed, where one text is computed at a time. */
  long embedBytes() {
    KvType type = isEncoder() ? KvType.F32 : settings.kvType();
    return weightBytes + cacheBytes(config, KvPages.countFor(settings.context()), type);
  }

  private static long cacheBytes(ModelConfig config, int pages, KvType type) {
    AttentionConfig attention = config.attention();
    KvCache.Shape shape =
        new KvCache.Shape(
            config.layers(),
            pages,
            attention.kvHeads(),
            attention.keyLength(),
            attention.valueLength(),
            type);
    return pages * shape.bytesPerPage();
  }
}

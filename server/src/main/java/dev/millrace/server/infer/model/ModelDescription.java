package dev.millrace.server.infer.model;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.cache.KvCache;
import dev.millrace.engine.internal.config.AttentionConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.ModelSummary;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.KvPageSize;
import dev.millrace.engine.internal.wheel.WheelSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is known about a served model before it is loaded: files, configuration and memory.
 *
 * @param files the parts of the model file
 * @param quantization how most weights are stored; empty if the file has none
 * @param weightBytes the size of all files, about the memory of the weights
 * @param settings with a context no longer than the model was trained on
 * @param generateBytes the memory that it takes to generate
 * @param remoteOpener opens a model with layers at other nodes; null: the whole file is loaded here
 */
record ModelDescription(
    String name,
    List<Path> files,
    ModelConfig config,
    String quantization,
    long weightBytes,
    EngineSettings settings,
    long generateBytes,
    @Nullable RemoteModelOpener remoteOpener) {

  /**
   * @throws EngineException if the model cannot be run here; the message says why
   */
  static ModelDescription read(NamedModel model, EngineSettings requested) {
    try (Gguf gguf = Gguf.open(model.file())) {
      ModelConfig config =
          model.remoteOpener() == null ? ModelConfig.of(gguf) : ModelConfig.ofGenerator(gguf);
      long bytes = 0;
      for (Path file : gguf.files()) {
        bytes += Files.size(file);
      }
      int context = requested.context() == 0 ? config.contextLength() : requested.context();
      EngineSettings settings = requested.withContext(Math.min(context, config.contextLength()));
      RemoteModelOpener opener = model.remoteOpener();
      long generateBytes =
          opener == null
              ? bytes
                  + cacheBytes(config, LoadSettings.of(settings, config).pages(), settings.kvType())
              : opener.bytes(model.file(), settings);
      return new ModelDescription(
          model.name(),
          List.copyOf(gguf.files()),
          config,
          ModelSummary.of(gguf).quantisation(),
          bytes,
          settings,
          generateBytes,
          opener);
    } catch (IOException e) {
      throw new EngineException(model.file() + ": " + e, e);
    }
  }

  Path file() {
    return files.getFirst();
  }

  /** Whether the model is for embeddings only. */
  boolean isEncoder() {
    return config.architecture().isEncoder();
  }

  /** The most positions of one sequence. */
  int capacity() {
    LoadSettings load = LoadSettings.of(settings, config);
    return WheelSettings.of(settings, load.pages(), load.context()).capacity();
  }

  /** Whether it could generate now, if it were loaded. */
  boolean isReady() {
    return remoteOpener == null || remoteOpener.ready();
  }

  /** The memory that it takes to embed one text at a time. */
  long embedBytes() {
    KvType type = isEncoder() ? KvType.F32 : settings.kvType();
    return weightBytes + cacheBytes(config, KvPageSize.countFor(settings.context()), type);
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

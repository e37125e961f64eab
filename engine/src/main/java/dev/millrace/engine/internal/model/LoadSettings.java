package dev.millrace.engine.internal.model;

import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.KvType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ArchitectureTrait;
import dev.millrace.engine.internal.config.FeedForwardConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.kernel.KernelChoice;
import dev.millrace.engine.internal.pipe.KvPageSize;

/**
 * How a model is loaded.
 *
 * @param threads the number of threads that compute
 * @param kernels how the arithmetic is computed; of native ones that do not work here, it becomes
 *     vectors
 * @param kvType how the cache stores keys and values
 * @param context the positions that a sequence may have; 0: what the model was trained on
 * @param pages of keys and values over all sequences; 0: as many as one sequence of the whole
 *     context needs
 * @param maxRows the rows of the largest batch
 * @param maxRuns the sequences of the largest batch
 */
public record LoadSettings(
    int threads,
    KernelType kernels,
    KvType kvType,
    int context,
    int pages,
    int maxRows,
    int maxRuns) {
  public LoadSettings {
    check("threads", threads, 1, 1024);
    kernels = KernelChoice.of(kernels);
    check("context", context, 0, 1 << 28);
    check("pages", pages, 0, 1 << 28);
    check("maxRows", maxRows, 1, 1 << 16);
    check("maxRuns", maxRuns, 1, 1 << 16);
  }

  /**
   * All processors, the best kernels, keys and values in half precision, batches of up to 512 rows
   * of 16 sequences.
   */
  public static LoadSettings usual() {
    return new LoadSettings(
        Runtime.getRuntime().availableProcessors(), KernelType.best(), KvType.F16, 0, 0, 512, 16);
  }

  /** How a model for embeddings is loaded; its own context decides the pages. */
  public static LoadSettings of(EngineSettings settings) {
    return new LoadSettings(
        settings.threads(),
        settings.kernels(),
        settings.kvType(),
        settings.context(),
        0,
        EngineSettings.ROWS,
        settings.slots());
  }

  /** How a model that generates is loaded, with its context and pages as numbers. */
  public static LoadSettings of(EngineSettings settings, ModelConfig config) {
    int context = settings.context() == 0 ? config.contextLength() : settings.context();
    int tokens =
        settings.tokens() == 0 ? Math.max(context, 2048 * settings.slots()) : settings.tokens();
    return of(settings).withContext(context).withPages(KvPageSize.countFor(tokens));
  }

  public LoadSettings withThreads(int threads) {
    return new LoadSettings(threads, kernels, kvType, context, pages, maxRows, maxRuns);
  }

  public LoadSettings withKernels(KernelType kernels) {
    return new LoadSettings(threads, kernels, kvType, context, pages, maxRows, maxRuns);
  }

  public LoadSettings withKvType(KvType kvType) {
    return new LoadSettings(threads, kernels, kvType, context, pages, maxRows, maxRuns);
  }

  public LoadSettings withContext(int context) {
    return new LoadSettings(threads, kernels, kvType, context, pages, maxRows, maxRuns);
  }

  public LoadSettings withPages(int pages) {
    return new LoadSettings(threads, kernels, kvType, context, pages, maxRows, maxRuns);
  }

  public LoadSettings withBatches(int maxRows, int maxRuns) {
    return new LoadSettings(threads, kernels, kvType, context, pages, maxRows, maxRuns);
  }

  /**
   * These settings for one model: context and pages as numbers, and an encoder's whole text in one
   * batch.
   */
  LoadSettings resolve(ModelConfig config) {
    int length = context == 0 ? config.contextLength() : context;
    if (config.has(ArchitectureTrait.LEARNED_POSITIONS) && length > config.contextLength()) {
      throw new EngineException(
          "a context of %d is more than the %d positions that model '%s' has learned; ask for at most those"
              .formatted(length, config.contextLength(), config.name()));
    }
    checkBuffers(config);
    if (config.architecture().isEncoder()) {
      // Attention looks both ways, so a text cannot be cut; its keys and values live for one
      // batch.
      int rows = Math.max(maxRows, Math.min(length, 1 << 16));
      return new LoadSettings(
          threads,
          kernels,
          KvType.F32,
          Math.min(length, rows),
          KvPageSize.countFor(rows) + maxRuns,
          rows,
          maxRuns);
    }
    return new LoadSettings(
        threads,
        kernels,
        kvType,
        length,
        pages == 0 ? KvPageSize.countFor(length) : pages,
        maxRows,
        maxRuns);
  }

  /** The buffers of a batch must fit into arrays. */
  private void checkBuffers(ModelConfig config) {
    FeedForwardConfig network = config.feedForward();
    long visits = Math.max(1, network.expertsUsed());
    long widest =
        Math.max(
            config.attention().queryWidth(), visits * Math.max(config.width(), network.width()));
    long most = Integer.MAX_VALUE / 2 / widest;
    if (maxRows > most) {
      throw new EngineException(
          "batches of %d rows are too large for model '%s'; ask for at most %d"
              .formatted(maxRows, config.name(), most));
    }
  }

  private static void check(String name, int value, int least, int most) {
    if (value < least || value > most) {
      throw new EngineException("%s is %d, expected %d to %d".formatted(name, value, least, most));
    }
  }
}

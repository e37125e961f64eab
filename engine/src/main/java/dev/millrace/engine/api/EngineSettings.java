package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.KvPages;
import dev.millrace.engine.internal.wheel.WheelSettings;

/**
 * How an engine runs a model.
 *
 * @param threads that compute
 * @param slots sequences that generate at the same time; more wait in line
 * @param context positions that a sequence may have; 0: what the model was trained on
 * @param tokens positions of all sequences together that the cache holds; 0: the context of one
 *     sequence, or 2,048 for each slot if that is more
 * @param kvType how keys and values are kept
 * @param kernels the arithmetic
 * @param prefixReuse whether equal beginnings of prompts are computed once
 */
public record EngineSettings(
    int threads,
    int slots,
    int context,
    int tokens,
    KvType kvType,
    KernelType kernels,
    boolean prefixReuse) {

  /** Rows of the largest turn: so large a chunk of a prompt is computed at once. */
  static final int ROWS = 512;

  public EngineSettings {
    check(threads >= 1 && threads <= 1024, "threads", threads, "1 to 1024");
    check(slots >= 1 && slots <= ROWS, "slots", slots, "1 to " + ROWS);
    check(
        context >= 0 && context != 1,
        "context",
        context,
        "at least 2 positions, or 0 for the model's own");
    check(tokens >= 0, "tokens", tokens, "at least 0");
  }

  /** All processors, 16 slots, the model's context, keys and values in half precision. */
  public static EngineSettings usual() {
    int processors = Runtime.getRuntime().availableProcessors();
    return new EngineSettings(processors, 16, 0, 0, KvType.F16, KernelType.best(), true);
  }

  public EngineSettings withThreads(int count) {
    return new EngineSettings(count, slots, context, tokens, kvType, kernels, prefixReuse);
  }

  public EngineSettings withSlots(int count) {
    return new EngineSettings(threads, count, context, tokens, kvType, kernels, prefixReuse);
  }

  public EngineSettings withContext(int positions) {
    return new EngineSettings(threads, slots, positions, tokens, kvType, kernels, prefixReuse);
  }

  public EngineSettings withTokens(int positions) {
    return new EngineSettings(threads, slots, context, positions, kvType, kernels, prefixReuse);
  }

  public EngineSettings withKvType(KvType type) {
    return new EngineSettings(threads, slots, context, tokens, type, kernels, prefixReuse);
  }

  public EngineSettings withKernels(KernelType choice) {
    return new EngineSettings(threads, slots, context, tokens, kvType, choice, prefixReuse);
  }

  public EngineSettings withPrefixReuse(boolean reuse) {
    return new EngineSettings(threads, slots, context, tokens, kvType, kernels, reuse);
  }

  /** How a model that embeds is loaded; pages stay 0, as its own context decides. */
  public LoadSettings loadSettings() {
    return new LoadSettings(threads, kernels, kvType, context, 0, ROWS, slots);
  }

  /** How a model that generates is loaded: its context and pages as numbers. */
  public LoadSettings loadSettings(ModelConfig config) {
    return loadSettings().withContext(context(config)).withPages(pages(config));
  }

  /** How the wheel of a model turns. */
  public WheelSettings wheelSettings(ModelConfig config) {
    return WheelSettings.of(pages(config), context(config))
        .withSequences(slots)
        .withPrefixReuse(prefixReuse);
  }

  /** The positions that a sequence of a model may have. */
  private int context(ModelConfig config) {
    return context == 0 ? config.contextLength() : context;
  }

  private int pages(ModelConfig config) {
    return KvPages.countFor(tokens == 0 ? Math.max(context(config), 2048 * slots) : tokens);
  }

  private static void check(boolean holds, String field, int value, String rule) {
    if (!holds) {
      throw new EngineException("%s is %d; it must be %s".formatted(field, value, rule));
    }
  }
}

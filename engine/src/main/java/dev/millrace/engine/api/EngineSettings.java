package dev.millrace.engine.api;

import dev.millrace.engine.error.EngineException;

/**
 * How an engine runs a model.
 *
 * @param threads the number of threads that compute
 * @param slots sequences that generate at the same time; more wait in a queue
 * @param context positions that a sequence may have; 0: what the model was trained on
 * @param tokens positions that the cache holds, for all sequences together; 0: the context of one
 *     sequence, or 2,048 for each slot if that is more
 * @param kvType how the cache stores keys and values
 * @param kernels how the arithmetic is computed
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

  /** The rows of the largest batch, and so the largest chunk of a prompt. */
  public static final int ROWS = 512;

  private static final int MAX_THREADS = 1_024;

  public EngineSettings {
    check(threads >= 1 && threads <= MAX_THREADS, "threads", threads, "1 to " + MAX_THREADS);
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

  private static void check(boolean holds, String field, int value, String rule) {
    if (!holds) {
      throw new EngineException("%s is %d; it must be %s".formatted(field, value, rule));
    }
  }
}

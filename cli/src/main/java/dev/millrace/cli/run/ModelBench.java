package dev.millrace.cli.run;

import dev.millrace.cli.model.EngineOpener;
import dev.millrace.cli.model.ModelChoice;
import dev.millrace.core.json.JsonObject;
import dev.millrace.engine.Engine;
import dev.millrace.engine.api.EngineSettings;
import dev.millrace.engine.api.Generation;
import dev.millrace.engine.api.GenerationRequest;
import dev.millrace.engine.api.GenerationResult;
import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.api.Sampling;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.kernel.KernelChoice;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.HardwareBenchmark;
import dev.millrace.engine.internal.tensor.VectorWidth;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Measures prefill and decode speed for {@code millrace bench}, through the same scheduler that a
 * server uses.
 */
final class ModelBench {
  /** How often the prompt is measured, after a warm-up; the median counts. */
  private static final int ROUNDS = 3;

  /** Warm-up tokens of each sequence, before those that count. */
  private static final int WARM_UP = 16;

  /**
   * The workload.
   *
   * @param prompt tokens of the prompt
   * @param generate tokens that each sequence generates
   * @param batches sequences at once
   * @param depth tokens in a sequence's context before it generates
   */
  record Load(int prompt, int generate, List<Integer> batches, int depth) {}

  private final String name;
  private final Path file;
  private final EngineSettings settings;
  private final KernelType kernels; // that compute
  private final int prompt;
  private final int generate;
  private final List<Integer> batches;
  private final int depth;
  private final Random random = new Random(1);

  ModelBench(ModelChoice model, EngineSettings settings, Load load) {
    this.name = model.name();
    kernels = KernelChoice.of(settings.kernels());
    this.file = model.file();
    prompt = load.prompt();
    generate = load.generate();
    batches = load.batches();
    depth = load.depth();
    int slots = batches.getLast();
    int length = Math.max(prompt, depth + generate) + 64;
    this.settings =
        settings
            .withSlots(slots)
            .withContext(length)
            .withTokens(length * slots)
            .withPrefixReuse(false);
  }

  JsonObject run() throws InterruptedException {
    JsonObject figures = JsonObject.create().put("model", name);
    Instant begun = ProcessHandle.current().info().startInstant().orElse(Instant.now());
    long start = System.nanoTime();
    try (Engine engine = EngineOpener.open(file, settings)) {
      figures.put("load_ms", (System.nanoTime() - start) / 1_000_000);
      generate(engine, 1, 8, 1);
      figures.put("first_token_ms", Duration.between(begun, Instant.now()).toMillis());
      double prefill = prefill(engine);
      Map<String, Object> decode = new LinkedHashMap<>();
      for (int size : batches) {
        generate(engine, size, Math.min(depth, 64), Math.min(WARM_UP, generate));
        decode.put(String.valueOf(size), decode(engine, size));
      }
      figures.put("prefill_tps", prefill).put("decode_tps", decode);
      figures
          .put("rss_mb", ProcessMemory.residentBytes() >> 20)
          .put("peak_rss_mb", ProcessMemory.peakBytes() >> 20);
      figures.put("weights_mb", engine.weightBytes() >> 20);
      figures.put("kv_bytes_per_token", engine.kvBytesPerToken());
      addLimits(figures, prefill, decode);
    }
    boolean vectors = kernels != KernelType.SCALAR;
    return figures
        .put("threads", settings.threads())
        .put("kernels", kernels.name().toLowerCase(Locale.ROOT))
        .put("native_set", kernels == KernelType.NATIVE ? KernelChoice.nativeSet() : "")
        .put("vector_bits", vectors ? VectorWidth.BITS : 0);
  }

  private interface Measurement {
    double take() throws InterruptedException;
  }

  private static double median(Measurement measurement) throws InterruptedException {
    double[] figures = new double[ROUNDS];
    for (int i = -1; i < ROUNDS; i++) {
      double figure = measurement.take();
      if (i >= 0) {
        figures[i] = figure;
      }
    }
    Arrays.sort(figures);
    return figures[ROUNDS / 2];
  }

  private double prefill(Engine engine) throws InterruptedException {
    return median(
        () -> prompt * 1e9 / generate(engine, 1, prompt, 1).getFirst().usage().prefillNanos());
  }

  /**
   * Tokens a second of all sequences together, between the first token of the last one and the end
   * of the first one.
   */
  private double decode(Engine engine, int size) throws InterruptedException {
    List<GenerationResult> results = generate(engine, size, depth, generate);
    double seconds = 0;
    for (GenerationResult result : results) {
      seconds = Math.max(seconds, result.usage().decodeNanos() / 1e9);
    }
    return size * (generate - 1) / seconds;
  }

  private List<GenerationResult> generate(Engine engine, int size, int length, int count)
      throws InterruptedException {
    List<Generation> running = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      int[] tokens = random.ints(length, 0, engine.tokenizer().size()).toArray();
      GenerationRequest request =
          GenerationRequest.of(tokens, Sampling.greedy(), count).ignoringEnd();
      running.add(engine.submit(request, (id, text, logprobs) -> {}));
    }
    List<GenerationResult> results = new ArrayList<>();
    for (Generation generation : running) {
      results.add(generation.await());
    }
    return results;
  }

  /**
   * The reached share of the machine's limits: memory bandwidth when decoding, multiplications when
   * prefilling.
   */
  private void addLimits(JsonObject figures, double prefill, Map<String, Object> decode) {
    long bytes = 0;
    long products = 0;
    boolean multipliesBytes = false;
    try (Gguf gguf = Gguf.open(file)) {
      boolean tied = gguf.tensor("output.weight").isEmpty();
      for (TensorInfo tensor : gguf.tensors()) {
        boolean layer = tensor.name().startsWith("blk.");
        if (layer || tensor.name().equals(tied ? "token_embd.weight" : "output.weight")) {
          bytes += tensor.bytes();
        }
        if (layer && tensor.shape().length > 1) {
          products += tensor.length();
          multipliesBytes |= KernelChoice.multipliesBytes(tensor.type());
        }
      }
    }
    if (kernels == KernelType.SCALAR) {
      return;
    }
    try (ComputePool crew = new ComputePool(settings.threads())) {
      double memory = HardwareBenchmark.bytesPerSecond(crew);
      double arithmetic = HardwareBenchmark.multiplyAddsPerSecond(crew);
      figures.put("memory_gb_per_s", memory / 1e9).put("peak_gmac_per_s", arithmetic / 1e9);
      if (kernels == KernelType.NATIVE && multipliesBytes) {
        arithmetic = HardwareBenchmark.byteProductsPerSecond(crew);
        figures.put("peak_byte_gmac_per_s", arithmetic / 1e9);
      }
      if (decode.get("1") instanceof Double one) {
        figures.put("decode_share_of_memory", one * bytes / memory);
      }
      figures.put("prefill_share_of_arithmetic", prefill * products / arithmetic);
    }
  }
}

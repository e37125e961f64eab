package dev.millrace.engine.internal.model;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.kernel.KernelChoice;
import dev.millrace.engine.internal.layer.LayerResources;
import dev.millrace.engine.internal.layer.LayerWeights;
import dev.millrace.engine.internal.layer.RopeFactors;
import dev.millrace.engine.internal.tensor.ComputePool;
import dev.millrace.engine.internal.tensor.Matrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The weights of layers [from, to) of a model. Segments are opened on them, also several over the
 * same layers, each with its own KV cache. All of them share one set of buffers, so one thread
 * computes; any thread may open and close them.
 */
public final class SegmentWeights implements AutoCloseable {
  private final ModelConfig config;
  private final int from;
  private final KernelType kernels;
  private final ComputePool pool;
  private final Arena arena;
  private final List<LayerWeights> layers = new ArrayList<>();
  private final RopeFactors ropeFactors;
  private final boolean integers; // whether any matrix takes its activations as integers
  private final List<LayerSegment> segments = new ArrayList<>(); // open ones; guarded by this
  private @Nullable LayerResources resources; // guarded by this
  private boolean closed; // guarded by this

  /** What computes with the weights, and the arena that holds them. */
  record Compute(KernelType kernels, ComputePool pool, Arena arena) {}

  /** Takes over the arena that holds the matrices. */
  SegmentWeights(WeightLoader weights, ModelConfig config, int from, int to, Compute compute) {
    this.config = config;
    this.from = from;
    this.kernels = compute.kernels();
    this.pool = compute.pool();
    this.arena = compute.arena();
    for (int layer = from; layer < to; layer++) {
      layers.add(weights.layer(layer));
    }
    this.ropeFactors = weights.ropeFactors();
    this.integers = layers.stream().flatMap(LayerWeights::matrices).anyMatch(Matrix::takesIntegers);
  }

  /**
   * Loads the layers. The file may be closed afterwards. Any thread may load while the pool
   * computes something else.
   *
   * @param pool computes; the caller owns it, and keeps it open while a segment is in use
   * @throws EngineException if the model does not have these layers, or there is no memory for them
   */
  public static SegmentWeights load(
      Gguf gguf, ModelConfig config, int from, int to, KernelType kernels, ComputePool pool) {
    if (from < 0 || from >= to || to > config.layers()) {
      throw new EngineException(
          "layers %d to %d are asked for, but model '%s' has %d"
              .formatted(from, to, config.name(), config.layers()));
    }
    KernelType usable = KernelChoice.of(kernels);
    Arena arena = Arena.ofShared();
    // As many threads as in the computing pool: matrices keep its scratch space.
    try (ComputePool loaders = new ComputePool(pool.threads())) {
      WeightLoader weights = WeightLoader.packed(gguf, config, usable, loaders, arena);
      return new SegmentWeights(weights, config, from, to, new Compute(usable, pool, arena));
    } catch (Throwable e) {
      arena.close();
      if (e instanceof OutOfMemoryError) {
        throw new EngineException(
            "%s: there is not enough memory for layers %d to %d (%s); take fewer layers here, or a smaller model"
                .formatted(gguf.file(), from, to, e.getMessage()),
            e);
      }
      throw e;
    }
  }

  /** The bytes of the tensors of layers [from, to) in the file: about as many as when loaded. */
  public static long fileBytes(Gguf gguf, int from, int to) {
    long bytes = 0;
    for (TensorInfo tensor : gguf.tensors()) {
      String name = tensor.name();
      if (name.startsWith("blk.")) {
        int layer = layer(name);
        bytes += layer >= from && layer < to ? tensor.bytes() : 0;
      }
    }
    return bytes;
  }

  private static int layer(String tensor) {
    int layer = 0;
    for (int i = "blk.".length(); i < tensor.length() && tensor.charAt(i) != '.'; i++) {
      int digit = Character.digit(tensor.charAt(i), 10);
      if (digit < 0 || layer > 1 << 20) {
        return -1;
      }
      layer = layer * 10 + digit;
    }
    return layer;
  }

  /** The bytes of a segment's keys and values when all its pages are in use. */
  public static long cacheBytes(ModelConfig config, int layers, LoadSettings settings) {
    LoadSettings resolved = settings.resolve(config);
    return resolved.pages() * LayerSegment.storeShape(config, resolved, layers).bytesPerPage();
  }

  public ModelConfig config() {
    return config;
  }

  public int from() {
    return from;
  }

  public int to() {
    return from + layers.size();
  }

  /** The bytes of the matrices. */
  public long weightBytes() {
    return matrixBytes(layers);
  }

  static long matrixBytes(List<LayerWeights> layers) {
    return layers.stream().flatMap(LayerWeights::matrices).mapToLong(Matrix::bytes).sum();
  }

  /**
   * Opens a segment of some of these layers, with its own KV cache.
   *
   * @param settings its context, its pages and their type, and the largest batch; threads and
   *     kernels are those of the weights
   * @throws EngineException if these layers are not here, or there is no memory for the cache
   */
  public synchronized LayerSegment open(int from, int to, LoadSettings settings) {
    if (closed) {
      throw new EngineException("layers %d to %d are freed".formatted(from(), to()));
    }
    if (from < from() || from >= to || to > to()) {
      throw new EngineException(
          "layers %d to %d are asked for, but %d to %d of model '%s' are loaded here"
              .formatted(from, to, from(), to(), config.name()));
    }
    LoadSettings resolved = settings.resolve(config);
    try {
      LayerResources buffers = resources(resolved.maxRows());
      LayerSegment segment = new LayerSegment(this, buffers, from, to, resolved);
      segments.add(segment);
      return segment;
    } catch (OutOfMemoryError e) {
      throw new EngineException(
          "there is not enough memory to compute with layers %d to %d of model '%s' (%s); ask for a smaller context, fewer pages or smaller turns"
              .formatted(from, to, config.name(), e.getMessage()),
          e);
    }
  }

  /** Buffers for the largest batch so far; segments with smaller buffers keep theirs. */
  private LayerResources resources(int maxRows) {
    if (resources == null || resources.maxRows < maxRows) {
      resources = new LayerResources(config, kernels, pool, maxRows, integers);
    }
    return resources;
  }

  List<LayerWeights> layers(int first, int end) {
    return layers.subList(first - from, end - from);
  }

  /** The divisors of the RoPE frequencies for a segment of that context. */
  float @Nullable [] ropeFactors(int context) {
    return ropeFactors.of(context);
  }

  synchronized void removeSegment(LayerSegment segment) {
    segments.remove(segment);
  }

  /** The number of open segments. */
  synchronized int openSegments() {
    return segments.size();
  }

  /** Frees the weights and closes the segments on them; nothing may be computing. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(segments).forEach(LayerSegment::close);
    resources = null;
    arena.close();
  }
}

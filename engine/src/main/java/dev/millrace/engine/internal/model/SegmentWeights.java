package dev.millrace.engine.internal.model;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
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
 * The weights of layers [from, to) of a model, and of no others. Segments are opened on them, many
 * over the same layers if need be, each with keys and values of its own. All of them compute in the
 * same place, so that one thread computes; they may be opened and closed by any.
 */
public final class SegmentWeights implements AutoCloseable {
  private final ModelConfig config;
  private final int from;
  private final KernelType kernels;
  private final ComputePool crew;
  private final Arena arena;
  private final List<LayerWeights> layers = new ArrayList<>();
  private final RopeFactors ropeFactors;
  private final boolean integers; // whether any matrix takes its activations as integers
  private final List<LayerSegment> segments = new ArrayList<>(); // open ones; guarded by this
  private @Nullable LayerResources workplace; // guarded by this
  private boolean closed; // guarded by this

  /** Takes the arena, in which the matrices are. */
  SegmentWeights(
      WeightLoader weights,
      ModelConfig config,
      int from,
      int to,
      KernelType kernels,
      ComputePool crew,
      Arena arena) {
    this.config = config;
    this.from = from;
    this.kernels = kernels;
    this.crew = crew;
    this.arena = arena;
    for (int layer = from; layer < to; layer++) {
      layers.add(weights.layer(layer));
    }
    this.ropeFactors = weights.ropeFactors();
    this.integers = layers.stream().flatMap(LayerWeights::matrices).anyMatch(Matrix::takesIntegers);
  }

  /**
   * Loads the layers. The file may be closed afterwards. Any thread may load while the crew
   * computes something else.
   *
   * @param crew will compute; it stays the caller's, and open while a segment is in use
   * @throws EngineException when the model has not these layers, or there is no memory for them
   */
  public static SegmentWeights load(
      Gguf gguf, ModelConfig config, int from, int to, KernelType kernels, ComputePool crew) {
    if (from < 0 || from >= to || to > config.layers()) {
      throw new EngineException(
          "layers %d to %d are asked for, but model '%s' has %d"
              .formatted(from, to, config.name(), config.layers()));
    }
    Arena arena = Arena.ofShared();
    // Of as many threads as the one that will compute: matrices keep its scratch space.
    try (ComputePool loaders = new ComputePool(crew.threads())) {
      WeightLoader weights = WeightLoader.packed(gguf, config, kernels, loaders, arena);
      return new SegmentWeights(weights, config, from, to, kernels, crew, arena);
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

  /** What the tensors of layers [from, to) take in the file: about what they take when loaded. */
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

  /** What the keys and values of a segment take when all its pages are in use. */
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

  /** What the matrices take. */
  public long weightBytes() {
    return matrixBytes(layers);
  }

  static long matrixBytes(List<LayerWeights> layers) {
    return layers.stream().flatMap(LayerWeights::matrices).mapToLong(Matrix::bytes).sum();
  }

  /**
   * Opens a segment of some of these layers, with keys and values of its own.
   *
   * @param settings its context, pages and their type, and the largest turn; who computes, and how,
   *     was said when the weights were loaded
   * @throws EngineException when these layers are not here, or there is no memory for the cache
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
      LayerResources place = workplace(resolved.maxRows());
      LayerSegment segment = new LayerSegment(this, place, from, to, resolved);
      segments.add(segment);
      return segment;
    } catch (OutOfMemoryError e) {
      throw new EngineException(
          "there is not enough memory to compute with layers %d to %d of model '%s' (%s); ask for a smaller context, fewer pages or smaller turns"
              .formatted(from, to, config.name(), e.getMessage()),
          e);
    }
  }

  /** One with room for the largest turn so far: who has a smaller one goes on with that. */
  private LayerResources workplace(int maxRows) {
    if (workplace == null || workplace.maxRows < maxRows) {
      workplace = new LayerResources(config, kernels, crew, maxRows, integers);
    }
    return workplace;
  }

  List<LayerWeights> layers(int first, int end) {
    return layers.subList(first - from, end - from);
  }

  /** By what a segment of that context divides the frequencies of its rotation. */
  float @Nullable [] ropeFactors(int context) {
    return ropeFactors.of(context);
  }

  synchronized void removeSegment(LayerSegment segment) {
    segments.remove(segment);
  }

  /** How many segments are open. */
  synchronized int openSegments() {
    return segments.size();
  }

  /** Frees the weights, and closes what was opened on them; nobody may be computing. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    List.copyOf(segments).forEach(LayerSegment::close);
    workplace = null;
    arena.close();
  }
}

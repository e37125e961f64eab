package dev.millrace.engine.model;

import dev.millrace.engine.EngineException;
import dev.millrace.engine.cache.Attention;
import dev.millrace.engine.cache.KvStore;
import dev.millrace.engine.gguf.Gguf;
import dev.millrace.engine.math.Arithmetic;
import dev.millrace.engine.math.Rope;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.pipe.Segment;
import dev.millrace.engine.tensor.Crew;
import dev.millrace.engine.tensor.Matrix;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/**
 * Layers [from, to) of a model with their weights, and the keys and values of all sequences in
 * them.
 */
public final class LayerSegment implements Segment, AutoCloseable {
  private final ModelConfig config;
  private final LoadSettings settings;
  private final int from;
  private final int to;
  private final KvStore store;
  private boolean closed;
  private final Rotations rotations;
  private final Sublayer[] sublayers;
  private final long weightBytes;

  /**
   * Loads the layers.
   *
   * @param crew computes; it stays the caller's
   * @param arena holds the weights; it stays the caller's, and open while the segment is in use
   */
  public static LayerSegment load(
      Gguf gguf,
      ModelConfig config,
      int from,
      int to,
      LoadSettings settings,
      Crew crew,
      Arena arena) {
    if (from < 0 || from >= to || to > config.layers()) {
      throw new EngineException(
          "layers %d to %d are asked for, but model '%s' has %d"
              .formatted(from, to, config.name(), config.layers()));
    }
    Weights weights = Weights.packed(gguf, config, settings.kernels(), crew, arena);
    return new LayerSegment(weights, config, from, to, settings.resolve(config), crew);
  }

  LayerSegment(
      Weights weights, ModelConfig config, int from, int to, LoadSettings settings, Crew crew) {
    this.config = config;
    this.settings = settings;
    this.from = from;
    this.to = to;
    List<LayerWeights> layers = new ArrayList<>();
    for (int layer = from; layer < to; layer++) {
      layers.add(weights.layer(layer));
    }
    this.rotations =
        new Rotations(
            config.rope(), weights.ropeFactors(settings.context()), settings.maxRows(), crew);
    this.weightBytes =
        layers.stream().flatMap(LayerWeights::matrices).mapToLong(Matrix::bytes).sum();
    this.store = new KvStore(storeShape(config, settings, to - from));
    this.sublayers = sublayers(layers, crew);
  }

  static KvStore.Shape storeShape(ModelConfig config, LoadSettings settings, int layers) {
    AttentionConfig attention = config.attention();
    return new KvStore.Shape(
        layers,
        settings.pages(),
        attention.kvHeads(),
        attention.keyLength(),
        attention.valueLength(),
        settings.kvType());
  }

  private Sublayer[] sublayers(List<LayerWeights> layers, Crew crew) {
    boolean integers =
        layers.stream().flatMap(LayerWeights::matrices).anyMatch(Matrix::takesIntegers);
    Arithmetic arithmetic = Arithmetic.of(settings.kernels());
    Buffers buffers = new Buffers(config, settings.maxRows(), integers);
    Attention attention =
        new Attention(
            settings.kernels(),
            store,
            config.attention().heads(),
            settings.maxRows(),
            crew.threads());
    AttentionBlock.Shared shared =
        new AttentionBlock.Shared(crew, arithmetic, buffers, config.attention(), store, attention);
    FeedForwards feedForwards =
        new FeedForwards(crew, arithmetic, buffers, config, settings.maxRows(), integers);
    List<Sublayer> sublayers = new ArrayList<>();
    for (int i = 0; i < layers.size(); i++) {
      LayerWeights layer = layers.get(i);
      Rope rope = rotations.of(config.attention().window(from + i) > 0);
      Block block = new AttentionBlock(shared, layer.attention(), rope, i, rule(from + i));
      sublayers.add(new Sublayer(crew, arithmetic, buffers, layer.aroundAttention(), block));
      sublayers.add(
          new Sublayer(
              crew,
              arithmetic,
              buffers,
              layer.aroundFeedForward(),
              feedForwards.of(layer.feedForward())));
    }
    return sublayers.toArray(Sublayer[]::new);
  }

  private Attention.Rule rule(int layer) {
    AttentionConfig attention = config.attention();
    return new Attention.Rule(
        attention.scale(),
        attention.softcap(),
        attention.window(layer),
        !config.architecture().isEncoder());
  }

  @Override
  public int from() {
    return from;
  }

  @Override
  public int to() {
    return to;
  }

  @Override
  public void forward(Batch batch) {
    if (closed) {
      throw new IllegalStateException("this segment is closed");
    }
    if (batch.width != config.width() || batch.rows > settings.maxRows()) {
      throw new IllegalArgumentException(
          "a batch of %d rows of %d numbers; at most %d of %d are expected"
              .formatted(batch.rows, batch.width, settings.maxRows(), config.width()));
    }
    rotations.prepare(batch);
    for (Sublayer sublayer : sublayers) {
      sublayer.forward(batch);
    }
  }

  /** The keys and values of these layers: to copy pages. */
  public KvStore store() {
    return store;
  }

  /** What the matrices of these layers take. */
  public long weightBytes() {
    return weightBytes;
  }

  /** Frees keys and values; the weights go with their arena. */
  @Override
  public void close() {
    closed = true;
    store.close();
  }
}

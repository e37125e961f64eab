package dev.millrace.engine.internal.model;

import dev.millrace.engine.internal.cache.Attention;
import dev.millrace.engine.internal.cache.KvCache;
import dev.millrace.engine.internal.config.AttentionConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.layer.AttentionBlock;
import dev.millrace.engine.internal.layer.LayerBlock;
import dev.millrace.engine.internal.layer.LayerResources;
import dev.millrace.engine.internal.layer.LayerRopes;
import dev.millrace.engine.internal.layer.LayerWeights;
import dev.millrace.engine.internal.layer.ResidualBlock;
import dev.millrace.engine.internal.math.Rope;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.Segment;
import java.util.ArrayList;
import java.util.List;

/**
 * Layers [from, to) of a model, and the keys and values of all sequences in them. Opened by {@link
 * SegmentWeights#open}.
 */
public final class LayerSegment implements Segment, AutoCloseable {
  private final SegmentWeights weights;
  private final ModelConfig config;
  private final LoadSettings settings;
  private final int from;
  private final int to;
  private final KvCache store;
  private final LayerRopes rotations;
  private final ResidualBlock[] sublayers;
  private final long weightBytes;
  private volatile boolean closed;

  LayerSegment(
      SegmentWeights weights, LayerResources resources, int from, int to, LoadSettings settings) {
    this.weights = weights;
    this.config = weights.config();
    this.settings = settings;
    this.from = from;
    this.to = to;
    List<LayerWeights> layers = weights.layers(from, to);
    this.weightBytes = SegmentWeights.matrixBytes(layers);
    this.rotations = resources.ropes(weights.ropeFactors(settings.context()));
    this.store = new KvCache(storeShape(config, settings, to - from));
    try {
      this.sublayers = sublayers(layers, resources);
    } catch (Throwable e) {
      store.close();
      throw e;
    }
  }

  static KvCache.Shape storeShape(ModelConfig config, LoadSettings settings, int layers) {
    AttentionConfig attention = config.attention();
    return new KvCache.Shape(
        layers,
        settings.pages(),
        attention.kvHeads(),
        attention.keyLength(),
        attention.valueLength(),
        settings.kvType());
  }

  private ResidualBlock[] sublayers(List<LayerWeights> layers, LayerResources resources) {
    Attention attention =
        new Attention(
            resources.kernels,
            store,
            config.attention().heads(),
            settings.maxRows(),
            resources.pool.threads());
    AttentionBlock.Shared shared =
        new AttentionBlock.Shared(
            resources.pool,
            resources.arithmetic,
            resources.buffers,
            config.attention(),
            store,
            attention);
    List<ResidualBlock> sublayers = new ArrayList<>();
    for (int i = 0; i < layers.size(); i++) {
      LayerWeights layer = layers.get(i);
      Rope rope = rotations.of(config.attention().window(from + i) > 0);
      LayerBlock attending = new AttentionBlock(shared, layer.attention(), rope, i, rule(from + i));
      LayerBlock feeding = resources.feedForwards.create(layer.feedForward());
      sublayers.add(new ResidualBlock(resources, layer.aroundAttention(), attending));
      sublayers.add(new ResidualBlock(resources, layer.aroundFeedForward(), feeding));
    }
    return sublayers.toArray(ResidualBlock[]::new);
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
  public int pages() {
    return settings.pages();
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
    for (ResidualBlock sublayer : sublayers) {
      sublayer.forward(batch);
    }
  }

  /** The KV cache of these layers: for copying pages. */
  public KvCache store() {
    return store;
  }

  /** The bytes of the matrices of these layers; segments on the same weights share them. */
  public long weightBytes() {
    return weightBytes;
  }

  /**
   * Frees the KV cache, while nothing computes with it; the weights stay. Closing twice does no
   * harm.
   */
  @Override
  public void close() {
    synchronized (weights) {
      if (!closed) {
        closed = true;
        weights.removeSegment(this);
        store.close();
      }
    }
  }
}

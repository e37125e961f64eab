package dev.millrace.cluster.internal.layers;

import dev.millrace.engine.internal.model.LayerSegment;
import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.model.SegmentWeights;
import dev.millrace.engine.internal.pipe.Batch;
import java.util.Set;

/** Layers that the engine has loaded. */
record EngineLoadedLayers(SegmentWeights weights, Set<String> formats) implements LoadedLayers {
  @Override
  public int layers() {
    return weights.config().layers();
  }

  @Override
  public int from() {
    return weights.from();
  }

  @Override
  public int to() {
    return weights.to();
  }

  @Override
  public long bytes() {
    return weights.weightBytes();
  }

  @Override
  public long cacheBytes(int layers, LoadSettings settings) {
    return SegmentWeights.cacheBytes(weights.config(), layers, settings);
  }

  @Override
  public int width() {
    return weights.config().width();
  }

  @Override
  public OpenLayers open(int from, int to, LoadSettings settings) {
    return new Open(weights.open(from, to, settings));
  }

  @Override
  public void close() {
    weights.close();
  }

  private record Open(LayerSegment segment) implements OpenLayers {
    @Override
    public int from() {
      return segment.from();
    }

    @Override
    public int to() {
      return segment.to();
    }

    @Override
    public int pages() {
      return segment.pages();
    }

    @Override
    public void forward(Batch batch) {
      segment.forward(batch);
    }

    @Override
    public void close() {
      segment.close();
    }
  }
}

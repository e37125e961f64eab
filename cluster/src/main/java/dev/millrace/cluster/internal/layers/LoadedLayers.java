package dev.millrace.cluster.internal.layers;

import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.Segment;
import java.util.Set;

/** Loaded layers [from, to) of a model. */
public interface LoadedLayers extends AutoCloseable {
  /** Number of layers of the whole model. */
  int layers();

  int from();

  int to();

  /** The formats of the weight matrices, by their names in lower case. */
  Set<String> formats();

  /** Memory of the weights. */
  long bytes();

  /** Memory of the keys and values of so many layers, if all pages are used. */
  long cacheBytes(int layers, LoadSettings settings);

  /** The width of a hidden state. */
  int width();

  /** Opens some of these layers, with keys and values of their own. */
  OpenLayers open(int from, int to, LoadSettings settings);

  /** Frees the weights and all that was opened on them; no computation may run. */
  @Override
  void close();

  /** Layers opened for one session. */
  interface OpenLayers extends Segment, AutoCloseable {
    @Override
    void close();
  }
}

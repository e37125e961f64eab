package dev.millrace.cluster.internal.layers;

import dev.millrace.engine.internal.model.LoadSettings;
import dev.millrace.engine.internal.pipe.Segment;

/** Loaded layers [from, to) of a model, as the node's bookkeeping sees them. */
public interface LoadedLayers extends AutoCloseable {
  /** How many the model has. */
  int layers();

  int from();

  int to();

  /** What the weights take. */
  long bytes();

  /** What the keys and values of some of these layers take, when all pages are in use. */
  long cacheBytes(int layers, LoadSettings settings);

  /** The width of a hidden state. */
  int width();

  /** Opens some of these layers, with keys and values of their own. */
  OpenLayers open(int from, int to, LoadSettings settings);

  /** Frees them, and all that was opened on them; nobody may be computing. */
  @Override
  void close();

  /** Layers at work for one session. */
  interface OpenLayers extends Segment, AutoCloseable {
    @Override
    void close();
  }
}

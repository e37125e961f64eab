package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.pipe.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Half a layer: attention or a feed-forward network. It reads {@link LayerBuffers#input} and writes
 * {@link LayerBuffers#update}.
 */
public interface LayerBlock {
  void forward(Batch batch);

  /** A bias to be added to each row of the update; null: none. */
  float @Nullable [] bias();
}

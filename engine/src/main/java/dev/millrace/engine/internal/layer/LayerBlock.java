package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.pipe.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Half a layer: attention or a feed-forward network. It reads {@link LayerBuffers#input} and writes
 * {@link LayerBuffers#update}.
 */
public interface LayerBlock {
  void forward(Batch batch);

  /** What is still to be added to each row of the update; null: nothing. */
  float @Nullable [] bias();
}

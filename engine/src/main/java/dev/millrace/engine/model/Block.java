package dev.millrace.engine.model;

import dev.millrace.engine.pipe.Batch;
import org.jspecify.annotations.Nullable;

/**
 * Half a layer: attention or a feed-forward network. It reads {@link Buffers#input} and writes
 * {@link Buffers#update}.
 */
interface Block {
  void forward(Batch batch);

  /** What is still to be added to each row of the update; null: nothing. */
  float @Nullable [] bias();
}

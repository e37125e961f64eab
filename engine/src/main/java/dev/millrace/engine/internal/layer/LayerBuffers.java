package dev.millrace.engine.internal.layer;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.AttentionConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.tensor.Activations;

/** The buffers that the layers of a segment share. Allocated once, for the largest batch. */
public final class LayerBuffers {
  /** The input of a block: (row, width). */
  final Activations input;

  /** The output of a block before it is added: (row, width). */
  final float[] update;

  final float[] query; // (row, heads, keyLength)
  final float[] key; // (row, kvHeads, keyLength)
  final float[] value; // (row, kvHeads, valueLength)

  /** The output of the heads: (row, heads, valueLength). */
  final Activations attended;

  /**
   * @param integers whether any matrix of the layers takes its activations as integers
   */
  LayerBuffers(ModelConfig config, int maxRows, boolean integers, KernelType kernels) {
    AttentionConfig attention = config.attention();
    input = new Activations(config.width(), maxRows, integers, kernels);
    update = new float[Math.multiplyExact(maxRows, config.width())];
    query = new float[Math.multiplyExact(maxRows, attention.queryWidth())];
    key = new float[Math.multiplyExact(maxRows, attention.keyWidth())];
    value = new float[Math.multiplyExact(maxRows, attention.valueWidth())];
    attended = new Activations(attention.attendedWidth(), maxRows, integers, kernels);
  }
}

package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.config.AttentionConfig;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.tensor.Activations;

/**
 * What the layers of a segment compute in, one after the other. Allocated once, for the largest
 * turn.
 */
public final class LayerBuffers {
  /** What goes into a block: (row, width). */
  final Activations input;

  /** What a block gives, before it is added: (row, width). */
  final float[] update;

  final float[] query; // (row, heads, keyLength)
  final float[] key; // (row, kvHeads, keyLength)
  final float[] value; // (row, kvHeads, valueLength)

  /** What the heads give: (row, heads, valueLength). */
  final Activations attended;

  /**
   * @param integers whether any matrix of the layers takes its activations as integers
   */
  LayerBuffers(ModelConfig config, int maxRows, boolean integers) {
    AttentionConfig attention = config.attention();
    input = new Activations(config.width(), maxRows, integers);
    update = new float[Math.multiplyExact(maxRows, config.width())];
    query = new float[Math.multiplyExact(maxRows, attention.queryWidth())];
    key = new float[Math.multiplyExact(maxRows, attention.keyWidth())];
    value = new float[Math.multiplyExact(maxRows, attention.valueWidth())];
    attended = new Activations(attention.attendedWidth(), maxRows, integers);
  }
}

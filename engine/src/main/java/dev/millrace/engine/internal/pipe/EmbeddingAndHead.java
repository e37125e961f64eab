package dev.millrace.engine.internal.pipe;

/**
 * What only the origin of a sequence needs: embedding, final norm and head. For one thread at a
 * time.
 */
public interface EmbeddingAndHead {
  /** The number of logits that the head computes. */
  int vocabulary();

  /** The width of a hidden state. */
  int width();

  /**
   * Fills the rows [row, row + count) of the batch from tokens [offset, offset + count). Positions
   * are set already.
   */
  void embed(Batch batch, int row, int[] tokens, int offset, int count);

  /**
   * The final norm and the head over the {@code count} named rows of the batch; logits are (count,
   * vocabulary).
   */
  void head(Batch batch, int[] rows, int count, float[] logits);

  /**
   * The final norm alone, of one row; {@code out} has room for {@link #width} numbers from {@code
   * offset}.
   */
  void norm(Batch batch, int row, float[] out, int offset);
}

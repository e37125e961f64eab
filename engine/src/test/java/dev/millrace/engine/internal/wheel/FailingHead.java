package dev.millrace.engine.internal.wheel;

import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.pipe.EmbeddingAndHead;

/** The fake model's embedding and head, which can be made to fail. */
final class FailingHead implements EmbeddingAndHead {
  private final EmbeddingAndHead inner = WheelHarness.MODEL.end();
  private final boolean inEmbedding;
  boolean inHead;

  FailingHead(boolean inEmbedding) {
    this.inEmbedding = inEmbedding;
  }

  @Override
  public int vocabulary() {
    return inner.vocabulary();
  }

  @Override
  public int width() {
    return inner.width();
  }

  @Override
  public void embed(Batch batch, int row, int[] tokens, int offset, int count) {
    if (inEmbedding) {
      throw new IllegalStateException("embedding lost");
    }
    inner.embed(batch, row, tokens, offset, count);
  }

  @Override
  public void head(Batch batch, int[] rows, int count, float[] logits) {
    if (inHead) {
      throw new IllegalStateException("head lost");
    }
    inner.head(batch, rows, count, logits);
  }

  @Override
  public void norm(Batch batch, int row, float[] out, int offset) {
    inner.norm(batch, row, out, offset);
  }
}

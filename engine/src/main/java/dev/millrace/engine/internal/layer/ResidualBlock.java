package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.ComputePool;

/** A block with its norms and its residual addition. */
public final class ResidualBlock {
  private final ComputePool pool;
  private final Arithmetic arithmetic;
  private final LayerBuffers buffers;
  private final LayerWeights.BlockNorms norms;
  private final LayerBlock block;
  private final ComputePool.ParallelLoop enter = this::enter;
  private final ComputePool.ParallelLoop leave = this::leave;
  private float[] hidden = {}; // (row, width)

  public ResidualBlock(LayerResources resources, LayerWeights.BlockNorms norms, LayerBlock block) {
    this.pool = resources.pool;
    this.arithmetic = resources.arithmetic;
    this.buffers = resources.buffers;
    this.norms = norms;
    this.block = block;
  }

  public void forward(Batch batch) {
    hidden = batch.hidden;
    pool.run(batch.rows, enter);
    block.forward(batch);
    pool.run(batch.rows, leave);
  }

  private void enter(int row, int worker) {
    int width = buffers.input.columns;
    if (norms.before() == null) {
      System.arraycopy(hidden, row * width, buffers.input.values, row * width, width);
    } else {
      norms.before().apply(hidden, row * width, buffers.input.values, row * width);
    }
    buffers.input.prepareRow(row);
  }

  private void leave(int row, int worker) {
    int width = buffers.input.columns;
    float[] bias = block.bias();
    if (bias != null) {
      arithmetic.add(buffers.update, row * width, bias, 0, width);
    }
    if (norms.onUpdate() != null) {
      norms.onUpdate().apply(buffers.update, row * width, buffers.update, row * width);
    }
    arithmetic.add(hidden, row * width, buffers.update, row * width, width);
    if (norms.after() != null) {
      norms.after().apply(hidden, row * width, hidden, row * width);
    }
  }
}

package dev.millrace.engine.internal.layer;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.config.ArchitectureTrait;
import dev.millrace.engine.internal.config.ModelConfig;
import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.pipe.Batch;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.ComputePool;
import org.jspecify.annotations.Nullable;

/** A dense feed-forward network: down(f(gate(x)) * up(x)), or down(f(up(x))) without a gate. */
final class DenseFeedForward implements LayerBlock {

  /** What all dense networks of a segment share. */
  static final class Shared {
    final ComputePool pool;
    final Arithmetic arithmetic;
    final LayerBuffers buffers;
    final ActivationFunction activation;
    final Activations inner; // (row, inner): what the activation function is applied to, in place
    final float[] up; // (row, inner): what it is multiplied with; empty without gates

    Shared(
        ComputePool pool,
        Arithmetic arithmetic,
        LayerBuffers buffers,
        ModelConfig config,
        int maxRows,
        boolean integers,
        KernelType kernels) {
      int width = config.feedForward().width();
      this.pool = pool;
      this.arithmetic = arithmetic;
      this.buffers = buffers;
      this.activation = new ActivationFunction(arithmetic, config.has(ArchitectureTrait.GELU));
      this.inner = new Activations(width, maxRows, integers, kernels);
      this.up =
          new float[config.has(ArchitectureTrait.GATED) ? Math.multiplyExact(maxRows, width) : 0];
    }
  }

  private final Shared shared;
  private final LayerWeights.Dense weights;
  private final MatMul enter;
  private final MatMul leave;
  private final ComputePool.ParallelLoop activate = this::activate;

  DenseFeedForward(Shared shared, LayerWeights.Dense weights) {
    this.shared = shared;
    this.weights = weights;
    float[] inner = shared.inner.values;
    Activations input = shared.buffers.input;
    Linear gate = weights.gate();
    MatMul.Factor up = new MatMul.Factor(weights.up().matrix(), gate == null ? inner : shared.up);
    this.enter =
        gate == null
            ? new MatMul(shared.pool, input, up)
            : new MatMul(shared.pool, input, new MatMul.Factor(gate.matrix(), inner), up);
    this.leave =
        new MatMul(
            shared.pool,
            shared.inner,
            new MatMul.Factor(weights.down().matrix(), shared.buffers.update));
  }

  @Override
  public void forward(Batch batch) {
    enter.run(batch.rows);
    shared.pool.run(batch.rows, activate);
    leave.run(batch.rows);
  }

  @Override
  public float @Nullable [] bias() {
    return weights.down().bias();
  }

  private void activate(int row, int worker) {
    int n = shared.inner.columns;
    float[] inner = shared.inner.values;
    if (weights.gate() == null) {
      weights.up().addBias(shared.arithmetic, inner, row * n);
      shared.activation.plain(inner, row * n, n);
    } else {
      weights.gate().addBias(shared.arithmetic, inner, row * n);
      weights.up().addBias(shared.arithmetic, shared.up, row * n);
      shared.activation.gated(inner, row * n, shared.up, row * n, n);
    }
    shared.inner.prepareRow(row);
  }
}

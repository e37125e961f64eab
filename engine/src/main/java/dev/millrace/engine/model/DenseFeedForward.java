package dev.millrace.engine.model;

import dev.millrace.engine.math.Arithmetic;
import dev.millrace.engine.pipe.Batch;
import dev.millrace.engine.tensor.Activations;
import dev.millrace.engine.tensor.Crew;
import org.jspecify.annotations.Nullable;

/** down(f(gate(x)) * up(x)), or down(f(up(x))) where there is no gate. */
final class DenseFeedForward implements Block {

  /** What all dense networks of a segment share. */
  static final class Shared {
    final Crew crew;
    final Arithmetic arithmetic;
    final Buffers buffers;
    final Activation activation;
    final Activations inner; // (row, inner): what the activation function is applied to, in place
    final float[] up; // (row, inner): what it is multiplied with; empty without gates

    Shared(
        Crew crew,
        Arithmetic arithmetic,
        Buffers buffers,
        ModelConfig config,
        int maxRows,
        boolean integers) {
      int width = config.feedForward().width();
      this.crew = crew;
      this.arithmetic = arithmetic;
      this.buffers = buffers;
      this.activation = new Activation(arithmetic, config.has(Trait.GELU));
      this.inner = new Activations(width, maxRows, integers);
      this.up = new float[config.has(Trait.GATED) ? Math.multiplyExact(maxRows, width) : 0];
    }
  }

  private final Shared shared;
  private final LayerWeights.Dense weights;
  private final Product enter;
  private final Product leave;
  private final Crew.Section activate = this::activate;

  DenseFeedForward(Shared shared, LayerWeights.Dense weights) {
    this.shared = shared;
    this.weights = weights;
    float[] inner = shared.inner.values;
    Activations input = shared.buffers.input;
    Linear gate = weights.gate();
    Product.Factor up = new Product.Factor(weights.up().matrix(), gate == null ? inner : shared.up);
    this.enter =
        gate == null
            ? new Product(shared.crew, input, up)
            : new Product(shared.crew, input, new Product.Factor(gate.matrix(), inner), up);
    this.leave =
        new Product(
            shared.crew,
            shared.inner,
            new Product.Factor(weights.down().matrix(), shared.buffers.update));
  }

  @Override
  public void forward(Batch batch) {
    enter.run(batch.rows);
    shared.crew.run(batch.rows, activate);
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
    shared.inner.ready(row);
  }
}

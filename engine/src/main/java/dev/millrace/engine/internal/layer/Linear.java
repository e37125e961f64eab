package dev.millrace.engine.internal.layer;

import dev.millrace.engine.internal.math.Arithmetic;
import dev.millrace.engine.internal.tensor.Matrix;
import org.jspecify.annotations.Nullable;

/** A projection: (rows, columns) weights and, in some models, a bias (rows). */
public record Linear(Matrix matrix, float @Nullable [] bias) {

  /** Adds the bias, if there is one, to a product with the matrix. */
  void addBias(Arithmetic arithmetic, float[] product, int offset) {
    if (bias != null) {
      arithmetic.add(product, offset, bias, 0, bias.length);
    }
  }
}

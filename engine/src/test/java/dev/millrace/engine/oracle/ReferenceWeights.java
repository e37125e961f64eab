package dev.millrace.engine.oracle;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.kernel.Dequantizer;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A file's tensors as numbers, each read on first use. A dequantized number is a float, so no bit
 * is lost.
 */
final class ReferenceWeights {
  private final Gguf gguf;
  private final Map<String, Weight> read = new HashMap<>();

  /** A tensor: (rows, columns) in that order, one row for a vector. */
  record Weight(int rows, int columns, float[] values) {

    /** The product with a column vector. */
    double[] times(double[] x) {
      return times(0, rows, x);
    }

    /** The product of some of the rows. */
    double[] times(int from, int count, double[] x) {
      if (x.length != columns) {
        throw new IllegalArgumentException(x.length + " numbers for " + columns + " columns");
      }
      double[] y = new double[count];
      for (int r = 0; r < count; r++) {
        double sum = 0;
        for (int c = 0; c < columns; c++) {
          sum += values[(from + r) * columns + c] * x[c];
        }
        y[r] = sum;
      }
      return y;
    }

    double[] row(int row) {
      double[] out = new double[columns];
      for (int c = 0; c < columns; c++) {
        out[c] = values[row * columns + c];
      }
      return out;
    }
  }

  ReferenceWeights(Gguf gguf) {
    this.gguf = gguf;
  }

  boolean has(String name) {
    return gguf.tensor(name).isPresent();
  }

  Weight get(String name) {
    return read.computeIfAbsent(name, this::read);
  }

  /** A vector, or null if the model has none of that name. */
  double @Nullable [] vector(String name) {
    return has(name) ? get(name).row(0) : null;
  }

  private Weight read(String name) {
    TensorInfo tensor = gguf.tensor(name).orElseThrow(() -> new IllegalArgumentException(name));
    float[] values = new float[Math.toIntExact(tensor.length())];
    MemorySegment bytes = MemorySegment.ofArray(new byte[Math.toIntExact(tensor.bytes())]);
    gguf.read(tensor, 0, bytes);
    Dequantizer.row(tensor.type(), bytes, 0, values.length, values, 0);
    return new Weight(tensor.rows(), tensor.columns(), values);
  }
}

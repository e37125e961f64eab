package dev.millrace.engine.internal.model;

import dev.millrace.engine.internal.gguf.Gguf;
import dev.millrace.engine.internal.gguf.TensorInfo;
import dev.millrace.engine.internal.kernel.Dequantizer;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.Matrix;
import java.lang.foreign.MemorySegment;

/** A matrix of floats, multiplied in order: the layers without the kernels. */
record PlainMatrix(int rows, int columns, float[] numbers) implements Matrix {

  static Matrix load(Gguf gguf, TensorInfo tensor, int firstRow, int rows) {
    long rowBytes = tensor.type().rowBytes(tensor.columns());
    byte[] bytes = new byte[Math.toIntExact(rowBytes * rows)];
    gguf.read(tensor, firstRow * rowBytes, MemorySegment.ofArray(bytes));
    float[] numbers = new float[rows * tensor.columns()];
    Dequantizer.row(tensor.type(), MemorySegment.ofArray(bytes), 0, numbers.length, numbers, 0);
    return new PlainMatrix(rows, tensor.columns(), numbers);
  }

  @Override
  public int rowStep() {
    return 1;
  }

  @Override
  public boolean takesIntegers() {
    return false;
  }

  @Override
  public long bytes() {
    return 4L * numbers.length;
  }

  @Override
  public void multiply(
      int from,
      int to,
      Activations x,
      int xRow,
      int count,
      float[] out,
      int outRow,
      int outStride,
      int outColumn,
      int worker) {
    for (int i = 0; i < count; i++) {
      for (int r = from; r < to; r++) {
        float sum = 0;
        for (int c = 0; c < columns; c++) {
          sum += numbers[r * columns + c] * x.values[(xRow + i) * columns + c];
        }
        out[(outRow + i) * outStride + outColumn + r] = sum;
      }
    }
  }

  @Override
  public void row(int row, float[] out, int offset) {
    System.arraycopy(numbers, row * columns, out, offset, columns);
  }
}

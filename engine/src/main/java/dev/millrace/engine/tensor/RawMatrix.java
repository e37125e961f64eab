package dev.millrace.engine.tensor;

import dev.millrace.engine.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Types without a kernel of their own: rows as the file has them, dequantised into panels. */
final class RawMatrix extends PanelMatrix {
  private final TensorType type;
  private final long rowBytes;

  RawMatrix(Packing packing, int rows, int columns) {
    super(packing, rows, columns, packing.tensor().type().rowBytes(columns) * GROUP, Scratch.DEPTH);
    type = packing.tensor().type();
    rowBytes = type.rowBytes(columns);
    packing.each(rows, (group, source, bytes, count) -> MemorySegment.copy(source, 0, weights, group * groupBytes, bytes * GROUP));
  }

  @Override
  void fill(int group, int column, int depth, Scratch scratch, int lane) {
    for (int b = 0; b < (depth + 31) / 32; b++) {
      int at = b * Scratch.HEIGHT + lane;
      Arrays.fill(scratch.panelScales, at, at + GROUP, 1f);
    }
    float[] panel = scratch.panel;
    float[] row = scratch.row;
    for (int r = 0; r < GROUP; r++) {
      Dequantiser.row(type, weights, group * groupBytes + r * rowBytes + type.rowBytes(column), depth, row, 0);
      for (int k = 0; k < depth; k++) {
        panel[k * Scratch.HEIGHT + lane + r] = row[k];
      }
    }
  }

  @Override
  public void row(int row, float[] out, int offset) {
    Dequantiser.row(type, weights, row / GROUP * groupBytes + row % GROUP * rowBytes, columns, out, offset);
  }
}

package dev.millrace.engine.internal.kernel;

import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.KernelTemplate;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;

/** A matrix of F32, F16 or BF16: column by column, 16 weights of each group of a band. */
final class FloatMatrix extends TiledMatrix {
  private final TensorType type;
  private final int width;

  FloatMatrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 1, 2 * GROUP * packing.tensor().type().blockBytes());
    type = packing.tensor().type();
    width = type.blockBytes();
    packing.packGroups(rows, this::pack);
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int r = 0; r < GROUP; r++) {
      for (int k = 0; k < columns; k++) {
        long from = r * rowBytes + (long) k * width;
        if (width == 4) {
          weights.set(INT, at(group, k, r), source.get(INT, from));
        } else {
          weights.set(SHORT, at(group, k, r), source.get(SHORT, from));
        }
      }
    }
  }

  private long at(int group, int k, int r) {
    return block(group, k) + (long) (side(group) * GROUP + r) * width;
  }

  @Override
  float weight(int group, int r, int k) {
    long at = at(group, k, r);
    return switch (type) {
      case F32 -> weights.get(FLOAT, at);
      case F16 -> half(at);
      default -> Float.intBitsToFloat(weights.get(SHORT, at) << 16);
    };
  }

  @Override
  int panelColumns() {
    return 9;
  }

  @Override
  void fill(int group, int column, int depth, WorkerScratch scratch, int lane) {
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      long from = at(group, column, l);
      switch (type) {
        case F32 -> PanelKernel.f32Fill(weights, from, depth, scratch.panel, lane + l);
        case F16 -> PanelKernel.f16Fill(weights, from, depth, scratch.panel, lane + l);
        default -> PanelKernel.bf16Fill(weights, from, depth, scratch.panel, lane + l);
      }
    }
  }

  @Override
  void tile(int count, long band, int lane, Activations x, int c, int last, float[] tile) {
    switch (type) {
      case F32 -> FloatKernel.f32Tile(count, weights, band, lane, x, c, last, tile);
      case F16 -> FloatKernel.f16Tile(count, weights, band, lane, x, c, last, tile);
      default -> FloatKernel.bf16Tile(count, weights, band, lane, x, c, last, tile);
    }
  }

  /** 32 columns are summed by themselves, then added, exactly as in {@link PanelMatrix}. */
  private static final class Template extends Lanes {
    @KernelTemplate(
        columns = {1, 4},
        variants = {"f32", "f16", "bf16"})
    static void $vTile(
        MemorySegment w, long band, int lane, Activations x, int c, int last, float[] tile) {
      float[] values = x.values;
      long q = band + lane * $v_BYTES;
      int columns = x.columns;
      int p$c = Math.min(c + $c, last) * columns;
      FloatVector a$r$c = FloatVector.zero(F);
      for (int b = 0; b < columns; b += 32) {
        int end = Math.min(b + 32, columns);
        FloatVector m$r$c = FloatVector.zero(F);
        for (int k = b; k < end; k++) {
          FloatVector v$r = $v(w, q + 16 * $r * $v_BYTES);
          {
            FloatVector y = FloatVector.broadcast(F, values[p$c + k]);
            m$r$c = v$r.fma(y, m$r$c);
          }
          q += 32 * $v_BYTES;
        }
        a$r$c = a$r$c.add(m$r$c);
      }
      a$r$c.intoArray(tile, lane + 16 * $r + 32 * $c);
    }
  }
}

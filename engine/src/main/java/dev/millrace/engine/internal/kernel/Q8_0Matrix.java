package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.tensor.WorkerScratch.HEIGHT;

import dev.millrace.engine.internal.tensor.Activations;
import dev.millrace.engine.internal.tensor.KernelTemplate;
import dev.millrace.engine.internal.tensor.VectorWidth;
import dev.millrace.engine.internal.tensor.WorkerScratch;
import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;

/**
 * Q8_0: weights of eight bits, a scale for 32 of them. A block has, column by column, 16
 * weights of each group; then 16 scales of each.
 */
final class Q8_0Matrix extends TiledMatrix {
  Q8_0Matrix(TensorPacker packing, int rows, int columns) {
    super(packing, rows, columns, 32, 2 * 512 + 2 * 32);
    packing.packGroups(rows, nativeOr(this::pack));
  }

  /** Where column k lies; the next one of its block lies 32 bytes on. */
  private long quants(int group, int k) {
    return block(group, k) + k % 32 * 32 + side(group) * 16;
  }

  private long scales(int group, int k) {
    return block(group, k) + 1024 + side(group) * 32;
  }

  private void pack(int group, MemorySegment source, long rowBytes, int count) {
    for (int b = 0; b < columns; b += 32) {
      long block = b / 32 * 34L;
      for (int r = 0; r < GROUP; r++) {
        weights.set(SHORT, scales(group, b) + r * 2, source.get(SHORT, r * rowBytes + block));
      }
      for (int r = 0; r < GROUP; r += 4) {
        for (int k = 0; k < 32; k += 4) {
          transpose(source, r * rowBytes + block + 2 + k, rowBytes, quants(group, b + k) + r);
        }
      }
    }
  }

  /** Four rows by four columns of bytes. */
  private void transpose(MemorySegment source, long from, long rowBytes, long to) {
    int a = source.get(INT, from);
    int b = source.get(INT, from + rowBytes);
    int c = source.get(INT, from + 2 * rowBytes);
    int d = source.get(INT, from + 3 * rowBytes);
    int ab = a & 0x00ff00ff | (b & 0x00ff00ff) << 8; // columns 0 and 2 of rows 0 and 1
    int cd = c & 0x00ff00ff | (d & 0x00ff00ff) << 8;
    int abOdd = a >>> 8 & 0x00ff00ff | b & 0xff00ff00; // columns 1 and 3
    int cdOdd = c >>> 8 & 0x00ff00ff | d & 0xff00ff00;
    weights.set(INT, to, ab & 0xffff | cd << 16);
    weights.set(INT, to + 32, abOdd & 0xffff | cdOdd << 16);
    weights.set(INT, to + 64, ab >>> 16 | cd & 0xffff0000);
    weights.set(INT, to + 96, abOdd >>> 16 | cdOdd & 0xffff0000);
  }

  @Override
  float weight(int group, int r, int k) {
    return weights.get(BYTE, quants(group, k) + r);
  }

  @Override
  float scale(int group, int r, int k) {
    return half(scales(group, k) + r * 2);
  }

  @Override
  int panelColumns() {
    return 24;
  }

  @Override
  void fill(int group, int column, int depth, WorkerScratch scratch, int lane) {
    for (int l = 0; l < GROUP; l += VectorWidth.COUNT) {
      for (int k = 0; k < depth; k += 32) {
        long quants = quants(group, column + k) + l;
        PanelKernel.int8Fill(weights, quants, 32, scratch.panel, k * HEIGHT + lane + l);
        int factors = k / 32 * HEIGHT + lane + l;
        long scales = scales(group, column + k) + 2 * l;
        PanelKernel.f16Fill(weights, scales, 1, scratch.panelScales, factors);
      }
    }
  }

  @Override
  int widest() {
    return 8;
  }

  @Override
  void tile(int width, long band, int lane, Activations x, int c, int last, float[] tile) {
    Q8_0Kernel.tile(width, weights, band, lane, x, c, last, tile);
  }

  /**
   * Weights become floats and meet the activations as they are: integer products of 8 bits by 8
   * would overflow 16 bits after two, so they gain nothing. A block is summed by itself, then
   * scaled.
   */
  private static final class Template extends Lanes {
    @KernelTemplate(columns = {1, 4, 8})
    static void tile(
        MemorySegment w, long band, int lane, Activations x, int c, int last, float[] tile) {
      float[] values = x.values;
      int columns = x.columns;
      long q = band + lane;
      int p$c = Math.min(c + $c, last) * columns;
      int t$r$c = lane + 16 * $r + 32 * $c;
      FloatVector a$r$c = FloatVector.zero(F);
      a$r$c.intoArray(tile, t$r$c);
      for (int b = 0; b < columns; b += 32) {
        FloatVector m$r$c = FloatVector.zero(F);
        for (int k = 0; k < 32; k++) {
          FloatVector v$r = int8(w, q + 16 * $r);
          {
            FloatVector y = FloatVector.broadcast(F, values[p$c + k]);
            m$r$c = v$r.fma(y, m$r$c);
          }
          q += 32;
        }
        FloatVector d$r = f16(w, q + lane + 32 * $r);
        q += 64;
        if ($n == 8) { // 32 vectors would be too many
          m$r$c.fma(d$r, FloatVector.fromArray(F, tile, t$r$c)).intoArray(tile, t$r$c);
        } else {
          a$r$c = m$r$c.fma(d$r, a$r$c);
        }
        p$c += 32;
      }
      if ($n < 8) {
        a$r$c.intoArray(tile, t$r$c);
      }
    }
  }
}

package dev.millrace.engine.internal.tensor;

import dev.millrace.engine.api.KernelType;
import dev.millrace.engine.internal.nativecode.NativeKernels;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rows of activations that a matrix is multiplied with: (row, columns) floats and, for matrices
 * of at most six bits, the same rows as 8-bit integers in blocks of 32. Allocated once, for the
 * largest turn.
 */
public final class Activations {
  /** The columns that share a scale. */
  static final int BLOCK = 32;

  /**
   * 1.5 * 2^23: added and taken away again, it rounds a small float to the nearest integer, ties to
   * even.
   */
  private static final float ROUND = 12582912f;

  public final int columns;

  /** (row, columns) */
  public final float[] values;

  /** Blocks in a row, or 0 where there is no integer form. */
  final int blocks;

  /**
   * (row, columns / 2): two neighbours as signed 16-bit numbers, the even column low. What vectors
   * of Java take; empty where native kernels compute.
   */
  public final int[] pairs;

  /** (row, columns): as bytes, eight columns in the order of native kernels. */
  private final byte[] bytes;

  /** (row, blocks): what an integer stands for. */
  public final float[] scales;

  /** (row, blocks): scale times the sum of the block's integers. */
  public final float[] sums;

  /** (row, blocks): -8 times the sums of the even and the odd columns, as a pair. */
  public final int[] minus8;

  /** (row, blocks, 2): -32 times those sums over each half of a block, as a pair. */
  public final int[] minus32;

  /** What native kernels read, and where {@link #prepareRow} lets them round; else null. */
  private final NativeKernels.@Nullable Operands operands;

  /**
   * @param integers whether any matrix takes these rows as integers: {@link Matrix#takesIntegers}
   */
  public Activations(int columns, int maxRows, boolean integers, KernelType kernels) {
    this.columns = columns;
    values = new float[Math.multiplyExact(columns, maxRows)];
    blocks = integers && columns % BLOCK == 0 ? columns / BLOCK : 0;
    int all = Math.multiplyExact(blocks, maxRows);
    boolean isNative = kernels == KernelType.NATIVE;
    pairs = new int[isNative ? 0 : all * (BLOCK / 2)];
    bytes = new byte[all * BLOCK];
    scales = new float[all];
    sums = new float[all];
    minus8 = new int[all];
    minus32 = new int[all * 2];
    operands =
        isNative
            ? new NativeKernels.Operands(
                MemorySegment.ofArray(values),
                MemorySegment.ofArray(bytes),
                MemorySegment.ofArray(scales),
                MemorySegment.ofArray(sums),
                MemorySegment.ofArray(minus8),
                MemorySegment.ofArray(minus32))
            : null;
  }

  /** The rows as native kernels read them. */
  public NativeKernels.Operands operands() {
    return Objects.requireNonNull(operands, "these rows were not made for native kernels");
  }

  /**
   * Call it for each row after its values are set and before any product with it. Different threads
   * may prepare different rows at the same time.
   */
  public void prepareRow(int row) {
    if (operands != null) {
      if (blocks > 0) {
        NativeKernels.quantize(blocks, (long) row * blocks, operands);
      }
      return;
    }
    for (int block = 0; block < blocks; block++) {
      quantise(row * columns + block * BLOCK, row * blocks + block);
    }
  }

  private void quantise(int from, int block) {
    float most = 0;
    for (int i = from; i < from + BLOCK; i++) {
      most = Math.max(most, Math.abs(values[i]));
    }
    float inverse = most == 0 ? 0 : 127f / most;
    int pair = block * (BLOCK / 2);
    int at = block * BLOCK;
    int firstHalf = pack(from, pair, at, inverse);
    int secondHalf = pack(from + BLOCK / 2, pair + BLOCK / 4, at + BLOCK / 2, inverse);
    int even = (short) firstHalf + (short) secondHalf;
    int odd = (firstHalf >> 16) + (secondHalf >> 16);
    float scale = most / 127f;
    scales[block] = scale;
    sums[block] = scale * (even + odd);
    minus8[block] = pair(-8 * even, -8 * odd);
    minus32[2 * block] = pair(-32 * (short) firstHalf, -32 * (firstHalf >> 16));
    minus32[2 * block + 1] = pair(-32 * (short) secondHalf, -32 * (secondHalf >> 16));
  }

  /** Half a block into pairs; the sums of its even and odd columns, as a pair. */
  private int pack(int from, int pair, int at, float inverse) {
    int even = 0;
    int odd = 0;
    for (int i = 0; i < BLOCK / 4; i++) {
      int a = (int) ((values[from + 2 * i] * inverse + ROUND) - ROUND);
      int b = (int) ((values[from + 2 * i + 1] * inverse + ROUND) - ROUND);
      pairs[pair + i] = pair(a, b);
      bytes[at + place(2 * i)] = (byte) a;
      bytes[at + place(2 * i + 1)] = (byte) b;
      even += a;
      odd += b;
    }
    return pair(even, odd);
  }

  /** Column k of a row as an integer. */
  public int integer(int row, int k) {
    return bytes[row * columns + place(k)];
  }

  /**
   * Where a column's byte lies. A lane of packed 4-bit weights has the columns 0 2 4 6 1 3 5 7 from
   * its lowest bits on: a mask leaves 0 4 1 5, a shift and a mask 2 6 3 7.
   */
  private static int place(int k) {
    return k & ~7 | (k & 2) << 1 | (k & 1) << 1 | (k & 4) >> 2;
  }

  private static int pair(int even, int odd) {
    return even & 0xffff | odd << 16;
  }
}

package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.TensorPacker.BYTE;
import static dev.millrace.engine.internal.kernel.TensorPacker.INT;
import static dev.millrace.engine.internal.kernel.TensorPacker.LONG;
import static dev.millrace.engine.internal.kernel.TensorPacker.SHORT;

import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.tensor.IqGrids;
import java.lang.foreign.MemorySegment;

/**
 * The file layouts of the types that {@link BitPlaneMatrix} holds: for each column a code of low
 * and high bits; for each block one or two halves; in superblocks, for each run of columns, a
 * one-byte scale and perhaps a one-byte minimum. A weight is {@code meaning(code) * scale + shift}.
 */
enum BitPlaneFormat {
  Q4_1(4, 0, 32, true),
  Q5_0(4, 1, 32, false),
  Q5_1(4, 1, 32, true),
  Q2_K(2, 0, 16, true),
  Q3_K(2, 1, 16, false),
  Q5_K(4, 1, 32, true),
  IQ4_NL(4, 0, 32, false),
  IQ4_XS(4, 0, 32, false),
  IQ2_XXS(2, 1, 32, false);

  /** The bits of a code that lie in the first plane, and in the second. */
  final int lowBits;

  final int highBits;

  /** The columns that share a scale. */
  final int run;

  /** Whether a weight has a shift as well as a scale. */
  final boolean shifted;

  final TensorType type = TensorType.valueOf(name());

  BitPlaneFormat(int lowBits, int highBits, int run, boolean shifted) {
    this.lowBits = lowBits;
    this.highBits = highBits;
    this.run = run;
    this.shifted = shifted;
  }

  /** Whether scales are bytes under the halves of a superblock. */
  boolean hasSuperblocks() {
    return type.blockLength() == 256;
  }

  /** What is subtracted from a code whose meaning is linear. */
  int zero() {
    return this == Q5_0 ? 16 : this == Q3_K ? 4 : 0;
  }

  /** What every nested scale is multiplied with, a power of two. */
  float unit() {
    return this == IQ2_XXS ? 0.125f : 1;
  }

  /** The number that a code stands for, before scale and shift. */
  int codeValue(int code) {
    return switch (this) {
      case IQ4_NL, IQ4_XS -> IqGrids.iq4(code);
      case IQ2_XXS -> (code & 4) == 0 ? magnitude(code) : -magnitude(code & 3);
      default -> code - zero();
    };
  }

  /** 8, 25, 43: the magnitudes of the IQ2 grids. */
  private static int magnitude(int index) {
    return 8 + 17 * index + (index >> 1);
  }

  /** For each entry of the grid, the indices of its eight magnitudes, a byte each. */
  private static final long[] GRID = new long[256];

  static {
    for (int entry = 0; entry < GRID.length; entry++) {
      for (int i = 0; i < 8; i++) {
        int magnitude = IqGrids.iq2xxs(entry, i);
        GRID[entry] |= (magnitude == 8 ? 0L : magnitude == 25 ? 1L : 2L) << 8 * i;
      }
    }
  }

  /**
   * The codes of columns k to k + 7 of the block at {@code at}, a byte each; k is a multiple of 8.
   */
  long codes(MemorySegment s, long at, int k) {
    return switch (this) {
      case Q4_1 -> half(s, at + 4, k);
      case Q5_0 ->
          half(s, at + 6, k) | Long.expand(s.get(INT, at + 2) >>> k & 255, 0x1010101010101010L);
      case Q5_1 ->
          half(s, at + 8, k) | Long.expand(s.get(INT, at + 4) >>> k & 255, 0x1010101010101010L);
      case Q2_K -> twoBits(s, at + 16, k);
      case Q3_K -> twoBits(s, at + 32, k) | bit(s, at + k % 32, k / 32) << 2;
      case Q5_K ->
          s.get(LONG, at + 48 + k / 64 * 32 + k % 32) >>> (k / 32 & 1) * 4 & 0x0f0f0f0f0f0f0f0fL
              | bit(s, at + 16 + k % 32, k / 32) << 4;
      case IQ4_NL -> half(s, at + 2, k);
      case IQ4_XS -> half(s, at + 8 + k / 32 * 16, k % 32);
      case IQ2_XXS -> grid(s, at + 2 + k / 32 * 8, k / 8 & 3);
    };
  }

  /** 16 bytes hold columns 0 to 15 in their low halves, 16 to 31 in their high ones. */
  private static long half(MemorySegment s, long at, int k) {
    return s.get(LONG, at + (k & 8)) >>> k / 16 * 4 & 0x0f0f0f0f0f0f0f0fL;
  }

  /** 32 bytes hold four runs of 32 columns. */
  private static long twoBits(MemorySegment s, long at, int k) {
    return s.get(LONG, at + k / 128 * 32 + k % 32) >>> k / 32 % 4 * 2 & 0x0303030303030303L;
  }

  private static long bit(MemorySegment s, long at, int bit) {
    return s.get(LONG, at) >>> bit & 0x0101010101010101L;
  }

  /**
   * Of 32 columns in eight bytes, the eight of entry {@code n}: four entries of the grid, then
   * their signs and a scale.
   */
  private static long grid(MemorySegment s, long at, int n) {
    int signs = IqGrids.signs(s.get(INT, at + 4) >>> n * 7 & 127);
    return GRID[s.get(BYTE, at + n) & 255] | Long.expand(signs, 0x0404040404040404L);
  }

  /** Where the half lies that scales, and the one that shifts. */
  int scaleAt() {
    return this == Q2_K ? 80 : this == Q3_K ? 108 : 0;
  }

  int shiftAt() {
    return scaleAt() + 2;
  }

  /** The scale of a run of columns under that of the superblock. */
  int scale(MemorySegment s, long at, int run) {
    return switch (this) {
      case Q2_K -> s.get(BYTE, at + run) & 15;
      case Q3_K ->
          (s.get(BYTE, at + 96 + run % 8) >> run / 8 * 4 & 15
                  | (s.get(BYTE, at + 104 + run % 4) >> run / 4 * 2 & 3) << 4)
              - 32;
      case Q5_K -> Q4_KMatrix.sixBits(s, at + 4, run, 0);
      case IQ4_XS ->
          (s.get(BYTE, at + 4 + run / 2) >> run % 2 * 4 & 15
                  | (s.get(SHORT, at + 2) >> run * 2 & 3) << 4)
              - 32;
      case IQ2_XXS -> 2 * (s.get(INT, at + 2 + run * 8 + 4) >>> 28) + 1;
      default -> throw new IllegalStateException(name());
    };
  }

  /** The minimum of a run of columns under that of the superblock. */
  int minimum(MemorySegment s, long at, int run) {
    return this == Q2_K ? s.get(BYTE, at + run) >> 4 & 15 : Q4_KMatrix.sixBits(s, at + 4, run, 4);
  }
}

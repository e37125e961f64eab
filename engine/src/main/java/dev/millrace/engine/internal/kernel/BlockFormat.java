package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.InterleavedMatrix.BYTE;
import static dev.millrace.engine.internal.kernel.InterleavedMatrix.INT;
import static dev.millrace.engine.internal.kernel.InterleavedMatrix.LONG;
import static dev.millrace.engine.internal.kernel.InterleavedMatrix.SHORT;

import dev.millrace.engine.internal.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntUnaryOperator;

/**
 * The quantized types as GGUF files have them, one description each: {@link Dequantizer} follows
 * from it, and so does packing. A block has a code for each column and a scale {@code d} of 16
 * bits; some have a shift {@code m}, too, in the next 16 bits. In superblocks of 256 columns, each
 * run of columns has a small scale under {@code d}, and perhaps a minimum under {@code m}. The
 * comments name what is in a block, in order.
 */
enum BlockFormat {
  /** d, 16 bytes of codes: byte j holds column j (low) and j + 16 (high). */
  Q4_0(4, 32, 0, false, (s, at, k) -> halves(s, at + 2, k), minus(8)),

  /** d, m, codes as in Q4_0. */
  Q4_1(4, 32, 0, true, (s, at, k) -> halves(s, at + 4, k), minus(0)),

  /** d, 4 bytes with the fifth bits, codes as in Q4_0. */
  Q5_0(5, 32, 0, false, (s, at, k) -> halves(s, at + 6, k) | fifth(s, at + 2, k), minus(16)),

  /** d, m, 4 bytes with the fifth bits, codes as in Q4_0. */
  Q5_1(5, 32, 0, true, (s, at, k) -> halves(s, at + 8, k) | fifth(s, at + 4, k), minus(0)),

  /** d, 32 signed bytes. */
  Q8_0(8, 32, 0, false, (s, at, k) -> s.get(LONG, at + 2 + k), code -> (byte) code),

  /** 16 bytes of scales (low half) and minima (high half), codes of two bits, d, m. */
  Q2_K(2, 16, 80, true, (s, at, k) -> quarters(s, at + 16, k), minus(0)) {
    @Override
    int scale(MemorySegment s, long at, int run) {
      return s.get(BYTE, at + run) & 15;
    }

    @Override
    int minimum(MemorySegment s, long at, int run) {
      return s.get(BYTE, at + run) >> 4 & 15;
    }
  },

  /**
   * 32 bytes with the third bits, codes of two bits as in Q2_K, 12 bytes of scales (four low bits
   * as halves of 8 bytes, two high ones as quarters of 4), d.
   */
  Q3_K(3, 16, 108, false, (s, at, k) -> quarters(s, at + 32, k) | bit(s, at, k) << 2, minus(4)) {
    @Override
    int scale(MemorySegment s, long at, int run) {
      int low = s.get(BYTE, at + 96 + run % 8) >> run / 8 * 4 & 15;
      return (low | (s.get(BYTE, at + 104 + run % 4) >> run / 4 * 2 & 3) << 4) - 32;
    }
  },

  /** d, m, 12 bytes of scales and minima, 32 bytes for two runs each, one in their low halves. */
  Q4_K(4, 32, 0, true, (s, at, k) -> pairedRuns(s, at + 16, k), minus(0)) {
    @Override
    int scale(MemorySegment s, long at, int run) {
      return sixBits(s, at + 4, run, 0);
    }

    @Override
    int minimum(MemorySegment s, long at, int run) {
      return sixBits(s, at + 4, run, 4);
    }
  },

  /** d, m, scales and minima as in Q4_K, 32 bytes with the fifth bits, codes as in Q4_K. */
  Q5_K(
      5, 32, 0, true, (s, at, k) -> pairedRuns(s, at + 48, k) | bit(s, at + 16, k) << 4, minus(0)) {
    @Override
    int scale(MemorySegment s, long at, int run) {
      return Q4_K.scale(s, at, run);
    }

    @Override
    int minimum(MemorySegment s, long at, int run) {
      return Q4_K.minimum(s, at, run);
    }
  },

  /** 128 bytes with four low bits, 64 with two high ones, 16 signed scales, d. */
  Q6_K(6, 16, 208, false, BlockFormat::sixBitCodes, minus(32)) {
    @Override
    int scale(MemorySegment s, long at, int run) {
      return s.get(BYTE, at + 192 + run);
    }
  },

  /** As Q4_0, but the codes stand for the values of a table. */
  IQ4_NL(4, 32, 0, false, (s, at, k) -> halves(s, at + 2, k), IqGrids::iq4),

  /** d, 2 bytes with the high two bits of 8 scales, 4 with their low four, runs as in IQ4_NL. */
  IQ4_XS(4, 32, 0, false, (s, at, k) -> halves(s, at + 8 + k / 32 * 16, k % 32), IqGrids::iq4) {
    @Override
    int scale(MemorySegment s, long at, int run) {
      int low = s.get(BYTE, at + 4 + run / 2) >> run % 2 * 4 & 15;
      return (low | (s.get(SHORT, at + 2) >> run * 2 & 3) << 4) - 32;
    }
  },

  /**
   * d, then for each run 4 bytes that name groups of 8 magnitudes, and an int with 4 times 7 signs
   * and a scale of four bits, in eighths. A code is two bits for the magnitude, and the sign.
   */
  IQ2_XXS(3, 32, 0, false, BlockFormat::gridCodes, IqGrids::signedMagnitude) {
    @Override
    int scale(MemorySegment s, long at, int run) {
      return 2 * (s.get(INT, at + 2 + run * 8 + 4) >>> 28) + 1;
    }

    @Override
    float unit() {
      return 0.125f;
    }
  };

  /** The codes of columns k to k + 7 of the block at {@code at}, a byte each. */
  @FunctionalInterface
  interface Codes {
    long read(MemorySegment s, long at, int k);
  }

  final TensorType type = TensorType.valueOf(name());

  /** The bits of a code. */
  final int bits;

  /** The columns that share a scale. */
  final int run;

  /** Where d is. */
  final int scaleAt;

  /** Whether there are shifts or minima. */
  final boolean shifted;

  final Codes codes;

  /** The number that a code stands for, before scale and shift. */
  final IntUnaryOperator value;

  BlockFormat(
      int bits, int run, int scaleAt, boolean shifted, Codes codes, IntUnaryOperator value) {
    this.bits = bits;
    this.run = run;
    this.scaleAt = scaleAt;
    this.shifted = shifted;
    this.codes = codes;
    this.value = value;
  }

  static Optional<BlockFormat> of(TensorType type) {
    return Arrays.stream(values()).filter(it -> it.type == type).findFirst();
  }

  boolean hasSuperblocks() {
    return type.blockLength() == 256;
  }

  /** In superblocks, the scale of a run of columns under d. */
  int scale(MemorySegment s, long at, int run) {
    return 1;
  }

  /** In superblocks, the minimum of a run of columns under m; it is taken away. */
  int minimum(MemorySegment s, long at, int run) {
    return 0;
  }

  /** What every scale of a run is multiplied with, a power of two. */
  float unit() {
    return 1;
  }

  private static IntUnaryOperator minus(int zero) {
    return code -> code - zero;
  }

  /** 16 bytes hold columns 0 to 15 in their low halves, 16 to 31 in their high ones. */
  private static long halves(MemorySegment s, long at, int k) {
    return s.get(LONG, at + (k & 8)) >>> k / 16 * 4 & 0x0f0f0f0f0f0f0f0fL;
  }

  private static long fifth(MemorySegment s, long at, int k) {
    return Long.expand(s.get(INT, at) >>> k & 255, 0x1010101010101010L);
  }

  /** 32 bytes hold four runs of 32 columns. */
  private static long quarters(MemorySegment s, long at, int k) {
    return s.get(LONG, at + k / 128 * 32 + k % 32) >>> k / 32 % 4 * 2 & 0x0303030303030303L;
  }

  /** Bit k / 32 of byte k % 32. */
  private static long bit(MemorySegment s, long at, int k) {
    return s.get(LONG, at + k % 32) >>> k / 32 & 0x0101010101010101L;
  }

  private static long pairedRuns(MemorySegment s, long at, int k) {
    return s.get(LONG, at + k / 64 * 32 + k % 32) >>> (k / 32 & 1) * 4 & 0x0f0f0f0f0f0f0f0fL;
  }

  /** A half of 128 columns has 64 bytes of low bits; its four runs share bytes. */
  private static long sixBitCodes(MemorySegment s, long at, int k) {
    int run = k / 32 & 3;
    long low = s.get(LONG, at + k / 128 * 64 + (run & 1) * 32 + k % 32) >>> (run >> 1) * 4;
    return low & 0x0f0f0f0f0f0f0f0fL | quarters(s, at + 128, k) << 4;
  }

  private static long gridCodes(MemorySegment s, long at, int k) {
    long part = at + 2 + k / 32 * 8;
    int n = k / 8 & 3;
    int signs = IqGrids.signs(s.get(INT, part + 4) >>> n * 7 & 127);
    return IqGrids.iq2xxs(s.get(BYTE, part + n) & 255) | Long.expand(signs, 0x0404040404040404L);
  }

  /**
   * Scale ({@code first} 0) or minimum (4) of a run: 12 bytes hold eight of each, the last four of
   * them in two pieces.
   */
  private static int sixBits(MemorySegment s, long from, int run, int first) {
    if (run < 4) {
      return s.get(BYTE, from + first + run) & 63;
    }
    int low = s.get(BYTE, from + 4 + run) >> first & 15;
    return low | (s.get(BYTE, from + first + run - 4) >> 6 & 3) << 4;
  }
}

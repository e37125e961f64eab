package dev.millrace.engine.internal.tensor;

import static java.lang.Float.float16ToFloat;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.TensorType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Converts quantized blocks to floats, number by number: the definition of each type, as ggml
 * defines it in the {@code dequantize_row_*} functions of {@code ggml-quants.c}, with the same
 * roundings. Faster forms are checked against it.
 *
 * <p>In the block layouts below, {@code d} is a scale and {@code m} or {@code dmin} what is added
 * or taken away, all of 16 bits; indices run in bytes.
 */
public final class Dequantizer {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Dequantizer() {}

  /** Turns one block at {@code at} into floats from {@code o} on. */
  @FunctionalInterface
  private interface Block {
    void read(MemorySegment s, long at, float[] out, int o);
  }

  /** Whether tensors of this type can be read. */
  public static boolean supports(TensorType type) {
    return switch (type) {
      case F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0 -> true;
      case Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_NL, IQ4_XS, IQ2_XXS -> true;
      default -> false;
    };
  }

  /**
   * Reads {@code count} numbers, a whole number of blocks.
   *
   * @param source bytes as in a GGUF file
   * @param offset of the first block's first byte
   * @throws EngineException if the type is not supported; the text names the type only
   */
  public static void row(
      TensorType type, MemorySegment source, long offset, int count, float[] out, int outOffset) {
    if (count % type.blockLength() != 0) {
      throw new IllegalArgumentException(
          count + " numbers are no whole blocks of " + type.blockLength());
    }
    Block block = block(type);
    for (int i = 0; i < count; i += type.blockLength()) {
      block.read(source, offset + type.rowBytes(i), out, outOffset + i);
    }
  }

  private static Block block(TensorType type) {
    return switch (type) {
      case F32 -> (s, at, out, o) -> out[o] = Float.intBitsToFloat(s.get(INT, at));
      case F16 -> (s, at, out, o) -> out[o] = half(s, at);
      case BF16 -> (s, at, out, o) -> out[o] = Float.intBitsToFloat(s.get(SHORT, at) << 16);
      case Q4_0 -> Dequantizer::q40;
      case Q4_1 -> Dequantizer::q41;
      case Q5_0 -> Dequantizer::q50;
      case Q5_1 -> Dequantizer::q51;
      case Q8_0 -> Dequantizer::q80;
      case Q2_K -> Dequantizer::q2k;
      case Q3_K -> Dequantizer::q3k;
      case Q4_K -> Dequantizer::q4k;
      case Q5_K -> Dequantizer::q5k;
      case Q6_K -> Dequantizer::q6k;
      case IQ4_NL -> Dequantizer::iq4nl;
      case IQ4_XS -> Dequantizer::iq4xs;
      case IQ2_XXS -> Dequantizer::iq2xxs;
      default -> throw new EngineException("tensors of type " + type + " are not supported");
    };
  }

  private static float half(MemorySegment s, long at) {
    return float16ToFloat(s.get(SHORT, at));
  }

  private static int unsigned(MemorySegment s, long at) {
    return s.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  /** d, 16 bytes of codes: byte j holds number j (low) and j + 16 (high). */
  private static void q40(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    for (int j = 0; j < 16; j++) {
      int codes = unsigned(s, at + 2 + j);
      out[o + j] = ((codes & 15) - 8) * d;
      out[o + j + 16] = ((codes >> 4) - 8) * d;
    }
  }

  /** d, m, 16 bytes of codes as in Q4_0. */
  private static void q41(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    float m = half(s, at + 2);
    for (int j = 0; j < 16; j++) {
      int codes = unsigned(s, at + 4 + j);
      out[o + j] = (codes & 15) * d + m;
      out[o + j + 16] = (codes >> 4) * d + m;
    }
  }

  /** d, 4 bytes with the fifth bit of each number, 16 bytes of codes as in Q4_0. */
  private static void q50(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    int fifth = s.get(INT, at + 2);
    for (int j = 0; j < 16; j++) {
      int codes = unsigned(s, at + 6 + j);
      out[o + j] = ((codes & 15 | (fifth >>> j & 1) << 4) - 16) * d;
      out[o + j + 16] = ((codes >> 4 | (fifth >>> j + 16 & 1) << 4) - 16) * d;
    }
  }

  /** d, m, 4 bytes with the fifth bits, 16 bytes of codes as in Q4_0. */
  private static void q51(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    float m = half(s, at + 2);
    int fifth = s.get(INT, at + 4);
    for (int j = 0; j < 16; j++) {
      int codes = unsigned(s, at + 8 + j);
      out[o + j] = (codes & 15 | (fifth >>> j & 1) << 4) * d + m;
      out[o + j + 16] = (codes >> 4 | (fifth >>> j + 16 & 1) << 4) * d + m;
    }
  }

  /** d, 32 signed bytes. */
  private static void q80(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    for (int j = 0; j < 32; j++) {
      out[o + j] = s.get(ValueLayout.JAVA_BYTE, at + 2 + j) * d;
    }
  }

  /**
   * 16 bytes of scales (low half) and minima (high half), one for 16 numbers; 64 bytes of codes; d,
   * dmin.
   */
  private static void q2k(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at + 80);
    float dmin = half(s, at + 82);
    for (int group = 0; group < 16; group++) {
      int scale = unsigned(s, at + group);
      float factor = d * (scale & 15);
      float minimum = dmin * (scale >> 4);
      long codes = at + 16 + twoBitBytes(group);
      int shift = twoBitShift(group);
      for (int j = 0; j < 16; j++) {
        out[o + 16 * group + j] = factor * (unsigned(s, codes + j) >> shift & 3) - minimum;
      }
    }
  }

  /**
   * 32 bytes with the third bits, 64 bytes of codes as in Q2_K, 12 bytes of scales of 6 bits, d.
   * The third bit of number n is bit n / 32 of byte n % 32; where it is clear, 4 is taken away.
   */
  private static void q3k(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at + 108);
    for (int group = 0; group < 16; group++) {
      float factor = d * (scaleOfQ3k(s, at + 96, group) - 32);
      long third = at + group % 2 * 16;
      long codes = at + 32 + twoBitBytes(group);
      int shift = twoBitShift(group);
      for (int j = 0; j < 16; j++) {
        int code = unsigned(s, codes + j) >> shift & 3;
        int bit = unsigned(s, third + j) >> group / 2 & 1;
        out[o + 16 * group + j] = factor * (code - (bit == 1 ? 0 : 4));
      }
    }
  }

  /**
   * Where the two-bit codes of a group of 16 start: a byte holds those of the numbers n, n + 32, n
   * + 64, n + 96 of a half.
   */
  private static int twoBitBytes(int group) {
    return group / 8 * 32 + group % 2 * 16;
  }

  private static int twoBitShift(int group) {
    return group % 8 / 2 * 2;
  }

  /** The low four bits lie in bytes 0 to 7 as halves, the high two in bytes 8 to 11 as quarters. */
  private static int scaleOfQ3k(MemorySegment s, long scales, int group) {
    int low = unsigned(s, scales + group % 8) >> group / 8 * 4 & 15;
    int high = unsigned(s, scales + 8 + group % 4) >> group / 4 * 2 & 3;
    return low | high << 4;
  }

  /**
   * d, dmin, 12 bytes of scales and minima, 128 bytes of codes: byte j of 32 holds number j (low)
   * and j + 32 (high) of 64.
   */
  private static void q4k(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    float dmin = half(s, at + 2);
    for (int group = 0; group < 8; group++) {
      float factor = d * scaleOfQ4k(s, at + 4, group);
      float minimum = dmin * minimumOfQ4k(s, at + 4, group);
      long codes = at + 16 + group / 2 * 32;
      int shift = group % 2 * 4;
      for (int j = 0; j < 32; j++) {
        out[o + 32 * group + j] = factor * (unsigned(s, codes + j) >> shift & 15) - minimum;
      }
    }
  }

  /**
   * d, dmin, 12 bytes of scales and minima, 32 bytes with the fifth bits (bit n / 32 of byte n %
   * 32), 128 bytes of codes as in Q4_K.
   */
  private static void q5k(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    float dmin = half(s, at + 2);
    for (int group = 0; group < 8; group++) {
      float factor = d * scaleOfQ4k(s, at + 4, group);
      float minimum = dmin * minimumOfQ4k(s, at + 4, group);
      long codes = at + 48 + group / 2 * 32;
      int shift = group % 2 * 4;
      for (int j = 0; j < 32; j++) {
        int fifth = unsigned(s, at + 16 + j) >> group & 1;
        int code = unsigned(s, codes + j) >> shift & 15 | fifth << 4;
        out[o + 32 * group + j] = factor * code - minimum;
      }
    }
  }

  /**
   * Six bits: those of the groups 0 to 3 in bytes 0 to 3; of the others, the low four in bytes 8 to
   * 11 (low half) and the high two on top of bytes 0 to 3.
   */
  private static int scaleOfQ4k(MemorySegment s, long scales, int group) {
    return group < 4
        ? unsigned(s, scales + group) & 63
        : unsigned(s, scales + group + 4) & 15 | unsigned(s, scales + group - 4) >> 6 << 4;
  }

  /**
   * As the scales: bytes 4 to 7, the high halves of bytes 8 to 11, the top bits of bytes 4 to 7.
   */
  private static int minimumOfQ4k(MemorySegment s, long scales, int group) {
    return group < 4
        ? unsigned(s, scales + group + 4) & 63
        : unsigned(s, scales + group + 4) >> 4 | unsigned(s, scales + group) >> 6 << 4;
  }

  /** 128 bytes with four low bits, 64 bytes with two high bits, 16 signed scales, d. */
  private static void q6k(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at + 208);
    for (int group = 0; group < 16; group++) {
      float factor = d * s.get(ValueLayout.JAVA_BYTE, at + 192 + group);
      int half = group / 8;
      int quarter = group % 8 / 2;
      long low = at + half * 64 + quarter % 2 * 32 + group % 2 * 16;
      long high = at + 128 + half * 32 + group % 2 * 16;
      for (int j = 0; j < 16; j++) {
        int code = unsigned(s, low + j) >> quarter / 2 * 4 & 15;
        int top = unsigned(s, high + j) >> quarter * 2 & 3;
        out[o + 16 * group + j] = factor * ((code | top << 4) - 32);
      }
    }
  }

  /** As Q4_0, but the codes stand for the values of a table. */
  private static void iq4nl(MemorySegment s, long at, float[] out, int o) {
    iq4(s, at + 2, half(s, at), out, o);
  }

  /**
   * d, 2 bytes with the high two bits of 8 scales, 4 bytes with their low four, 128 bytes of codes,
   * 32 numbers as in IQ4_NL each.
   */
  private static void iq4xs(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    int high = s.get(SHORT, at + 2);
    for (int group = 0; group < 8; group++) {
      int low = unsigned(s, at + 4 + group / 2) >> group % 2 * 4 & 15;
      float factor = d * ((low | (high >> 2 * group & 3) << 4) - 32);
      iq4(s, at + 8 + 16 * group, factor, out, o + 32 * group);
    }
  }

  private static void iq4(MemorySegment s, long codes, float factor, float[] out, int o) {
    for (int j = 0; j < 16; j++) {
      int pair = unsigned(s, codes + j);
      out[o + j] = factor * IqGrids.iq4(pair & 15);
      out[o + j + 16] = factor * IqGrids.iq4(pair >> 4);
    }
  }

  /**
   * d, then for each 32 numbers 4 bytes that name groups of 8 magnitudes and an int with 4 times 7
   * signs and, on top, a scale of four bits.
   */
  private static void iq2xxs(MemorySegment s, long at, float[] out, int o) {
    float d = half(s, at);
    for (int n = 0; n < 32; n++) {
      long part = at + 2 + n / 4 * 8;
      int tail = s.get(INT, part + 4);
      float factor = d * (0.5f + (tail >>> 28)) * 0.25f;
      int group = unsigned(s, part + n % 4);
      int signs = IqGrids.signs(tail >>> n % 4 * 7 & 127);
      for (int j = 0; j < 8; j++) {
        float value = factor * IqGrids.iq2xxs(group, j);
        out[o + 8 * n + j] = (signs >> j & 1) == 1 ? -value : value;
      }
    }
  }
}

package dev.millrace.engine.oracle;

import dev.millrace.engine.internal.gguf.GgufWriter;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.internal.kernel.Dequantizer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Random numbers in the blocks of a type, without a quantiser: the codes are random bits, the
 * scales are drawn so that the numbers have a mean of about zero and the wanted deviation, and vary
 * from group to group as they do in real files.
 */
final class RandomBlocks implements GgufWriter.Source {
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final Map<TensorType, Double> DEVIATION_OF_UNIT = new ConcurrentHashMap<>();

  private final TensorType type;
  private final float unit;
  private final float mean;
  private long state;

  private RandomBlocks(TensorType type, float unit, float mean, long seed) {
    this.type = type;
    this.unit = unit;
    this.mean = mean;
    this.state = seed;
  }

  /** Numbers around zero. */
  static RandomBlocks of(TensorType type, double deviation, long seed) {
    double ofUnit = DEVIATION_OF_UNIT.computeIfAbsent(type, RandomBlocks::deviationOfUnit);
    return new RandomBlocks(type, (float) (deviation / ofUnit), 0, seed);
  }

  /** F32 around a mean, for norms. */
  static RandomBlocks around(float mean, double deviation, long seed) {
    return new RandomBlocks(TensorType.F32, (float) deviation, mean, seed);
  }

  /** Measures what comes of a unit of 1. */
  private static double deviationOfUnit(TensorType type) {
    int count = 1 << 18;
    MemorySegment blocks = MemorySegment.ofArray(new byte[(int) type.rowBytes(count)]);
    new RandomBlocks(type, 1, 0, 1).fill(0, blocks);
    float[] numbers = new float[count];
    Dequantizer.row(type, blocks, 0, count, numbers, 0);
    double squares = 0;
    for (float number : numbers) {
      squares += (double) number * number;
    }
    return Math.sqrt(squares / count);
  }

  @Override
  public void fill(long offset, MemorySegment chunk) {
    long length = chunk.byteSize();
    long at = 0;
    for (; at + 8 <= length; at += 8) {
      chunk.set(LONG, at, next());
    }
    for (; at < length; at++) {
      chunk.set(ValueLayout.JAVA_BYTE, at, (byte) next());
    }
    for (at = 0; at < length; at += type.blockBytes()) {
      scale(chunk, at);
    }
  }

  /** Splitmix64. */
  private long next() {
    state += 0x9e3779b97f4a7c15L;
    long z = (state ^ state >>> 30) * 0xbf58476d1ce4e5b9L;
    z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
    return z ^ z >>> 31;
  }

  /** In [0, bound). */
  private int next(int bound) {
    return (int) ((next() >>> 32) * bound >>> 32);
  }

  /** Nearly normal, of deviation 1: the sum of four even ones. */
  private float normal() {
    long bits = next();
    int sum = 0;
    for (int i = 0; i < 4; i++) {
      sum += (int) (bits >>> 16 * i & 0xffff);
    }
    return (sum - 131070) / 37837f;
  }

  /** A scale between 3/4 and 5/4 units. */
  private float positive() {
    return unit * (0.75f + next(1024) / 2048f);
  }

  private float signed() {
    return next() < 0 ? -positive() : positive();
  }

  /** Replaces the scales, or the number, of a block of random bits. */
  private void scale(MemorySegment s, long at) {
    switch (type) {
      case F32 -> s.set(INT, at, Float.floatToRawIntBits(mean + unit * normal()));
      case F16 -> half(s, at, unit * normal());
      case BF16 -> s.set(SHORT, at, (short) (Float.floatToRawIntBits(unit * normal()) >>> 16));
      case Q4_0, Q5_0, IQ4_NL, IQ2_XXS -> half(s, at, signed());
      case Q4_1 -> withMinimum(s, at, positive(), -7.5f);
      case Q5_1 -> withMinimum(s, at, positive(), -15.5f);
      case Q8_0 -> q80(s, at);
      case Q2_K -> q2k(s, at);
      case Q3_K -> q3k(s, at);
      case Q4_K -> q4k(s, at, 7.5f);
      case Q5_K -> q4k(s, at, 15.5f);
      case Q6_K -> q6k(s, at);
      case IQ4_XS -> iq4xs(s, at);
      default -> throw new IllegalArgumentException(type.name());
    }
  }

  private static void half(MemorySegment s, long at, float value) {
    s.set(SHORT, at, Float.floatToFloat16(value));
  }

  private static void withMinimum(MemorySegment s, long at, float scale, float centre) {
    half(s, at, scale);
    half(s, at + 2, scale * centre);
  }

  /** No quantiser makes the code -128. */
  private void q80(MemorySegment s, long at) {
    half(s, at, positive());
    for (int i = 2; i < 34; i++) {
      if (s.get(ValueLayout.JAVA_BYTE, at + i) == Byte.MIN_VALUE) {
        s.set(ValueLayout.JAVA_BYTE, at + i, (byte) 0);
      }
    }
  }

  /** Scales and minima of a group are equal, from 8 to 15, so that its numbers are around zero. */
  private void q2k(MemorySegment s, long at) {
    for (int group = 0; group < 16; group++) {
      int scale = 8 + next(8);
      s.set(ValueLayout.JAVA_BYTE, at + group, (byte) (scale | scale << 4));
    }
    withMinimum(s, at + 80, positive(), 1.5f);
  }

  /** Each scale is at least 16 units away from zero. */
  private void q3k(MemorySegment s, long at) {
    byte[] packed = new byte[12];
    for (int group = 0; group < 16; group++) {
      int scale = 32 + away(16, 16);
      packed[group % 8] |= (byte) ((scale & 15) << group / 8 * 4);
      packed[8 + group % 4] |= (byte) (scale >> 4 << group / 4 * 2);
    }
    MemorySegment.copy(packed, 0, s, ValueLayout.JAVA_BYTE, at + 96, 12);
    half(s, at + 108, positive());
  }

  /**
   * Scales from 32 to 63, minima within 4 of them, so that the numbers of a group are around zero
   * or a little off.
   */
  private void q4k(MemorySegment s, long at, float centre) {
    byte[] packed = new byte[12];
    for (int group = 0; group < 8; group++) {
      int scale = 36 + next(24);
      int minimum = scale - 4 + next(8);
      if (group < 4) {
        packed[group] |= (byte) scale;
        packed[group + 4] |= (byte) minimum;
      } else {
        packed[group + 4] = (byte) (scale & 15 | (minimum & 15) << 4);
        packed[group - 4] |= (byte) (scale >> 4 << 6);
        packed[group] |= (byte) (minimum >> 4 << 6);
      }
    }
    MemorySegment.copy(packed, 0, s, ValueLayout.JAVA_BYTE, at + 4, 12);
    withMinimum(s, at, positive(), centre);
  }

  private void q6k(MemorySegment s, long at) {
    for (int group = 0; group < 16; group++) {
      s.set(ValueLayout.JAVA_BYTE, at + 192 + group, (byte) away(64, 64));
    }
    half(s, at + 208, positive());
  }

  private void iq4xs(MemorySegment s, long at) {
    int high = 0;
    int low = 0;
    for (int group = 0; group < 8; group++) {
      int scale = 32 + away(16, 16);
      high |= scale >> 4 << 2 * group;
      low |= (scale & 15) << 4 * group;
    }
    half(s, at, positive());
    s.set(SHORT, at + 2, (short) high);
    s.set(INT, at + 4, low);
  }

  /** A whole number whose magnitude is in [least, least + range), of either sign. */
  private int away(int least, int range) {
    int magnitude = least + next(range);
    return next() < 0 ? -magnitude : magnitude;
  }
}

package dev.millrace.engine.internal.kernel;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.TensorType;
import dev.millrace.engine.llamacpp.LlamaLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DequantizerTest {
  private static final ValueLayout.OfShort HALF =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Scales that round, vanish, overflow, or are no numbers. */
  private static final float[] SCALES = {
    1, -1, 0.37f, 1e-3f, 6e-8f, 5e-5f, 65504, -65504, 0, -0f, Float.POSITIVE_INFINITY, Float.NaN
  };

  static Stream<TensorType> blockTypes() {
    return Arrays.stream(TensorType.values())
        .filter(Dequantizer::supports)
        .filter(type -> type.blockLength() > 1);
  }

  @ParameterizedTest
  @MethodSource("blockTypes")
  void everyBitEqualsGgml(TensorType type) throws Throwable {
    MethodHandle theirs =
        peer("dequantize_row_" + type.name().toLowerCase(Locale.ROOT).replace("_k", "_K"));
    compare(type, theirs, 7);
  }

  @Test
  void everyHalfEqualsGgml() throws Throwable {
    compare(TensorType.F16, peer("ggml_fp16_to_fp32_row"), 8);
    compare(TensorType.BF16, peer("ggml_bf16_to_fp32_row"), 9);
  }

  private static MethodHandle peer(String function) {
    // Elsewhere compilers fuse the multiplications and additions of these functions
    assumeTrue(System.getProperty("os.arch").matches("amd64|x86_64"), "not x86");
    return LlamaLibrary.get().function(function, null, ADDRESS, ADDRESS, JAVA_LONG);
  }

  private static void compare(TensorType type, MethodHandle theirs, long seed) throws Throwable {
    int count = 64 * 256;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment blocks = arena.allocate(type.rowBytes(count), 16);
      MemorySegment expected = arena.allocate(JAVA_FLOAT, count);
      for (float scale : SCALES) {
        randomBlocks(type, blocks, scale, new Random(seed));
        theirs.invoke(blocks, expected, (long) count);
        float[] ours = new float[count + 1];
        Dequantizer.row(type, blocks, 0, count, ours, 1);
        assertThat(bits(Arrays.copyOfRange(ours, 1, count + 1)))
            .as("%s, scale %s, seed %d", type, scale, seed)
            .isEqualTo(bits(expected.toArray(JAVA_FLOAT)));
      }
    }
  }

  /** NaNs are all the same to {@code floatToIntBits}. */
  private static int[] bits(float[] values) {
    int[] bits = new int[values.length];
    for (int i = 0; i < bits.length; i++) {
      bits[i] = Float.floatToIntBits(values[i]);
    }
    return bits;
  }

  private static void randomBlocks(TensorType type, MemorySegment s, float scale, Random random) {
    byte[] bytes = new byte[(int) s.byteSize()];
    random.nextBytes(bytes);
    s.copyFrom(MemorySegment.ofArray(bytes));
    for (long at = 0; at < s.byteSize(); at += type.blockBytes()) {
      for (int d : scaleOffsets(type)) {
        float jitter = 1 + random.nextFloat() / 8;
        s.set(HALF, at + d, Float.floatToFloat16(random.nextInt(8) == 0 ? scale : scale * jitter));
      }
    }
  }

  private static int[] scaleOffsets(TensorType type) {
    return switch (type) {
      case Q4_1, Q5_1, Q4_K, Q5_K -> new int[] {0, 2};
      case Q2_K -> new int[] {80, 82};
      case Q3_K -> new int[] {108};
      case Q6_K -> new int[] {208};
      case F16, BF16 -> new int[0];
      default -> new int[] {0};
    };
  }

  @Test
  void floatsAreReadAsTheyAre() {
    MemorySegment source = MemorySegment.ofArray(new byte[] {9, 0, 0, -64, 63, 0, 0, 0, -128});
    float[] out = new float[2];
    Dequantizer.row(TensorType.F32, source, 1, 2, out, 0);
    assertThat(out).containsExactly(1.5f, -0f);
  }

  @Test
  void blockOfQ40HoldsItsNumbersInHalves() {
    MemorySegment block = MemorySegment.ofArray(new byte[18]);
    block.set(HALF, 0, Float.floatToFloat16(0.5f));
    block.set(JAVA_BYTE, 2, (byte) 0x1f);
    float[] out = new float[32];
    Dequantizer.row(TensorType.Q4_0, block, 0, 32, out, 0);
    assertThat(out[0]).isEqualTo(3.5f);
    assertThat(out[16]).isEqualTo(-3.5f);
    assertThat(out[1]).isEqualTo(-4f);
  }

  static Stream<TensorType> unsupportedTypes() {
    return Arrays.stream(TensorType.values()).filter(type -> !Dequantizer.supports(type));
  }

  @ParameterizedTest
  @MethodSource("unsupportedTypes")
  void unsupportedTypesAreNamed(TensorType type) {
    MemorySegment source = MemorySegment.ofArray(new byte[type.blockBytes()]);
    float[] out = new float[type.blockLength()];
    assertThatThrownBy(() -> Dequantizer.row(type, source, 0, out.length, out, 0))
        .isInstanceOf(EngineException.class)
        .hasMessageContaining(type.name());
  }
}

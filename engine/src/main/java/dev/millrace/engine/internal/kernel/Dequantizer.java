package dev.millrace.engine.internal.kernel;

import static dev.millrace.engine.internal.kernel.InterleavedMatrix.INT;
import static dev.millrace.engine.internal.kernel.InterleavedMatrix.SHORT;

import dev.millrace.engine.error.EngineException;
import dev.millrace.engine.internal.gguf.TensorType;
import java.lang.foreign.MemorySegment;

/**
 * Converts numbers of files to floats, with the roundings of ggml's {@code dequantize_row_*}
 * functions in {@code ggml-quants.c}. Faster forms are checked against it.
 */
public final class Dequantizer {
  private Dequantizer() {}

  /** Whether tensors of this type can be read. */
  public static boolean supports(TensorType type) {
    return switch (type) {
      case F32, F16, BF16 -> true;
      default -> BlockFormat.of(type).isPresent();
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
    for (int i = 0; i < count; i += type.blockLength()) {
      long at = offset + type.rowBytes(i);
      int to = outOffset + i;
      switch (type) {
        case F32 -> out[to] = Float.intBitsToFloat(source.get(INT, at));
        case F16 -> out[to] = Float.float16ToFloat(source.get(SHORT, at));
        case BF16 -> out[to] = Float.intBitsToFloat(source.get(SHORT, at) << 16);
        default ->
            block(BlockFormat.of(type).orElseThrow(() -> unsupported(type)), source, at, out, to);
      }
    }
  }

  private static EngineException unsupported(TensorType type) {
    return new EngineException("tensors of type " + type + " are not supported");
  }

  private static void block(BlockFormat format, MemorySegment s, long at, float[] out, int to) {
    float d = Float.float16ToFloat(s.get(SHORT, at + format.scaleAt));
    float m = format.shifted ? Float.float16ToFloat(s.get(SHORT, at + format.scaleAt + 2)) : 0;
    float scale = d;
    float shift = m;
    long codes = 0;
    for (int k = 0; k < format.type.blockLength(); k++, codes >>>= 8) {
      if (k % 8 == 0) {
        codes = format.codes.read(s, at, k);
      }
      if (k % format.run == 0 && format.hasSuperblocks()) {
        scale = d * format.scale(s, at, k / format.run) * format.unit();
        shift = -(m * format.minimum(s, at, k / format.run));
      }
      float value = format.value.applyAsInt((int) codes & 255) * scale;
      out[to + k] = format.shifted ? value + shift : value;
    }
  }
}
